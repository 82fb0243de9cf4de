"""Rule import_run: take a run made elsewhere as the run of a row."""

import json
from pathlib import Path

from clinbench.coding.external import read_external
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import in_splits, read_frame
from clinbench.coding.pool import pool_of
from clinbench.coding.runs import write_run
from snakejob import job

with job(snakemake) as run:
    inputs, name = snakemake.input, snakemake.wildcards.external
    queries = read_frame(inputs.queries)
    test = in_splits(queries, "test")
    pool = pool_of(read_frame(inputs.table), queries, read_frame(inputs.training), snakemake.params.pool)
    ids = test["query_id"].to_list()
    rankings, counts = read_external(Path(inputs.file), ids, pool, snakemake.params.depth)
    print(json.dumps(counts, indent=2, ensure_ascii=False))
    if counts["outside_pool"]:
        run.tell(f"{name}: {counts['outside_pool']} answers are codes outside the pool; they count as wrong.")
    write_run(snakemake.output.trec, ids, rankings, name)
    run.write_record(
        data_fingerprint=fingerprint(test),
        n=len(test),
        selection="made elsewhere, not known",
        pool=len(pool),
        unanswered=sum(not ranking for ranking in rankings),
        info=counts,
    )
