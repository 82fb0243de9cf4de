"""Rule code_mentions: a system, trained where it has to be, applied to a user's own mentions."""

import json

from clinbench.coding.coded import coded_frame, read_mentions
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import read_frame, write_frame
from clinbench.coding.runs import write_run
from snakejob import job
from systemjob import rank

with job(snakemake) as run:
    names, params, output = snakemake.wildcards, snakemake.params, snakemake.output
    mentions = read_mentions(snakemake.input.file)
    rankings, side, found = rank(run, snakemake, mentions, params.seed)
    write_run(output.trec, mentions["query_id"].to_list(), rankings, names.system)
    write_frame(output.coded, coded_frame(mentions, rankings, side.table, params.ranks))
    unanswered = sum(not ranking for ranking in rankings)
    run.tell(f"{len(mentions):,} mentions coded, {unanswered:,} without an answer: {output.coded}")
    run.write_record(
        data_fingerprint=fingerprint(mentions),
        n=len(mentions),
        encoder={"name": params.name, "is": params.encoder, "source": found and found.source},
        options=json.loads(params.options),
        pool=side.table["code"].n_unique(),
        learned_from=fingerprint(read_frame(snakemake.input.training)),
        unanswered=unanswered,
    )
