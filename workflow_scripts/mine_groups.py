"""Rules mine_groups and mine_own_groups: list-wise groups of the train mentions.

Their negatives are neighbours under BM25 and under an encoder, untrained or a trained system's.
"""

import json

from clinbench.coding.context import Context
from clinbench.coding.encoders import fetch
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import in_splits, read_frame
from clinbench.coding.groups import distinct, mine_groups, write_groups
from clinbench.coding.systems import bm25, dense
from clinbench.runtime import autocast
from snakejob import job
from textsjob import read_texts

with job(snakemake) as run:
    side = read_texts(snakemake)
    table = side.table
    train = in_splits(read_frame(snakemake.input.queries), "train")
    if snakemake.params.unique:
        train = distinct(train)
    mentions = train["query"].to_list()
    sources = {"bm25": bm25.search(mentions, table, {}, Context(), snakemake.params.depth)}
    found = run.encoder()
    if found:
        context = Context(
            encoder=snakemake.input.model or fetch(found),
            embeddings=side.embeddings,
            device=run.use_torch(),
        )
        with autocast(run.device, run.precision):
            sources["dense"] = dense.search(mentions, table, {}, context, snakemake.params.depth)
    groups, report = mine_groups(train, table, sources, snakemake.params.negatives, seed=0)
    print(json.dumps(report, indent=2, ensure_ascii=False))
    write_groups(snakemake.output.groups, groups)
    run.write_record(
        data_fingerprint=fingerprint(train),
        n=len(groups),
        info=report,
        negatives=snakemake.params.negatives,
        encoder=snakemake.params.encoder,
    )
