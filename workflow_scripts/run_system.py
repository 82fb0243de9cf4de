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
from clinbench.coding.pool import candidates, pool_of
from clinbench.coding.runs import Rankings, read_run, write_run
from clinbench.runtime import cell_seed
from snakejob import job


def rankings_of(path: str, query_ids: pl.Series) -> Rankings:
    """Read a run and align it with the queries."""
    ranked = read_run(path)
    return [ranked.get(query, []) for query in query_ids]


with job(snakemake) as run:
    names, inputs, params = snakemake.wildcards, snakemake.input, snakemake.params
    queries, training = read_frame(inputs.queries), read_frame(inputs.training)
    test = queries.filter(pl.col("split") == "test")
    table = read_frame(inputs.table)
    vectors = [load_file(file)["embeddings"] for file in inputs.embeddings]
    read = training.filter(pl.col("split").is_in(params.mentions)) if params.mentions else None
    side = candidates(
        table,
        vectors[0] if vectors else None,
        pool_of(table, queries, training, params.pool),
        read,
        params.sources,
        join=params.join,
    )
    found = run.encoder()
    context = Context(
        encoder=fetch(found) if found else None,
        model=Path(inputs.model[0]) if inputs.model else None,
        first_stage=rankings_of(inputs.first_stage[0], test["query_id"]) if inputs.first_stage else None,
        mentions=side.mentions,
        runs={
            name: rankings_of(path, test["query_id"])
            for name, path in zip(params.systems, inputs.systems, strict=True)
        },
        embeddings=side.embeddings,
        device=run.use_torch(),
        seed=cell_seed(names.benchmark, names.system, int(names.seed)),
    )
    rankings = plugins.load("coding.systems", params.kind).search(
        test["query"].to_list(), side.table, json.loads(params.options), context, params.depth
    )
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
