"""Rule run_system: rank the codes for every test mention."""

import json

from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import in_splits, read_frame
from clinbench.coding.runs import write_run
from snakejob import job
from systemjob import rank

with job(snakemake) as run:
    names, params = snakemake.wildcards, snakemake.params
    test = in_splits(read_frame(snakemake.input.queries), "test")
    rankings, side, found = rank(run, snakemake, test, int(names.seed))
    write_run(snakemake.output.trec, test["query_id"].to_list(), rankings, names.system)
    run.write_record(
        data_fingerprint=fingerprint(test),
        n=len(test),
        selection="fixed settings",
        encoder={"name": params.name, "is": params.encoder, "source": found and found.source},
        options=json.loads(params.options),
        pool=side.table["code"].n_unique(),
        mentions=None if side.mentions is None else fingerprint(side.mentions),
        systems=list(params.systems),
        unanswered=sum(not ranking for ranking in rankings),
    )
