"""Rule run_system: rank the codes for every test mention."""

import json
from pathlib import Path

import polars as pl
from safetensors.numpy import load_file

from clinbench import plugins
from clinbench.coding.context import Context
from clinbench.coding.encoders import fetch
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import read_frame
from clinbench.coding.runs import read_run, write_run
from clinbench.runtime import cell_seed
from snakejob import job

with job(snakemake) as run:
    names = snakemake.wildcards
    test = read_frame(snakemake.input.queries).filter(pl.col("split") == "test")
    first = read_run(snakemake.input.first_stage[0]) if snakemake.input.first_stage else None
    vectors = [load_file(file)["embeddings"] for file in snakemake.input.embeddings]
    found = run.encoder()
    context = Context(
        encoder=fetch(found) if found else None,
        model=Path(snakemake.input.model[0]) if snakemake.input.model else None,
        first_stage=None if first is None else [first.get(query, []) for query in test["query_id"]],
        embeddings=vectors[0] if vectors else None,
        device=run.use_torch(),
        seed=cell_seed(names.benchmark, names.system, int(names.seed)),
    )
    rankings = plugins.load("coding.systems", snakemake.params.kind).search(
        test["query"].to_list(),
        read_frame(snakemake.input.table),
        json.loads(snakemake.params.options),
        context,
        snakemake.params.depth,
    )
    write_run(snakemake.output.trec, test["query_id"].to_list(), rankings, names.system)
    run.write_record(
        data_fingerprint=fingerprint(test),
        n=len(test),
        selection="fixed settings",
        encoder={
            "name": snakemake.params.name,
            "is": snakemake.params.encoder,
            "source": found and found.source,
        },
        options=json.loads(snakemake.params.options),
        unanswered=sum(not ranking for ranking in rankings),
    )
