"""What the two scripts that let a system rank codes have in common: its inputs, read from those of the rule."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from safetensors.numpy import load_file

from clinbench import plugins
from clinbench.coding.context import Context
from clinbench.coding.encoders import Found, fetch
from clinbench.coding.frames import in_splits, read_frame
from clinbench.coding.pool import Candidates, candidates, pool_of
from clinbench.coding.runs import Rankings, read_run
from clinbench.runtime import autocast, cell_seed
from snakejob import Job

if TYPE_CHECKING:
    import polars as pl


class Ranked(NamedTuple):
    """Rankings of the mentions, what they were chosen from, and the encoder that was found."""

    rankings: Rankings
    side: Candidates
    encoder: Found | None


def rank(run: Job, snakemake, mentions: "pl.DataFrame", seed: int) -> Ranked:
    """Rank the codes of the rule's table for mentions, a queries frame."""
    names, inputs, params = snakemake.wildcards, snakemake.input, snakemake.params
    queries, training = read_frame(inputs.queries), read_frame(inputs.training)
    table = read_frame(inputs.table)
    vectors = [load_file(file)["embeddings"] for file in inputs.embeddings]
    read = in_splits(training, *params.mentions) if params.mentions else None
    side = candidates(
        table,
        vectors[0] if vectors else None,
        pool_of(table, queries, training, params.pool),
        read,
        params.sources,
        join=params.join,
    )
    found = run.encoder()
    ids = mentions["query_id"]
    context = Context(
        encoder=fetch(found) if found else None,
        model=Path(inputs.model[0]) if inputs.model else None,
        first_stage=_aligned(inputs.first_stage[0], ids) if inputs.first_stage else None,
        mentions=side.mentions,
        runs={name: _aligned(path, ids) for name, path in zip(params.systems, inputs.systems, strict=True)},
        embeddings=side.embeddings,
        device=run.use_torch(),
        precision=run.precision,
        seed=cell_seed(names.benchmark, names.system, seed),
    )
    with autocast(run.device, run.precision):
        rankings = plugins.load("coding.systems", params.kind).search(
            mentions["query"].to_list(), side.table, json.loads(params.options), context, params.depth
        )
    return Ranked(rankings, side, found)


def _aligned(path: str, query_ids: "pl.Series") -> Rankings:
    """Read a run and align it with the queries."""
    ranked = read_run(path)
    return [ranked.get(query, []) for query in query_ids]
