"""Untuned dense retrieval: cosine between the encoder's vectors of mention and description."""

import polars as pl

from clinbench.coding.context import Context
from clinbench.coding.dense import retrieve
from clinbench.coding.load import load_encoder
from clinbench.coding.runs import Rankings

OPTIONS = {
    "encode_batch": {
        "type": "integer",
        "minimum": 1,
        "default": 64,
        "description": "Texts per forward pass; changes speed and memory, not results.",
    },
}
TRAINED = False
NEEDS = ("encoder", "embeddings")


def search(queries: list[str], table: pl.DataFrame, options: dict, context: Context, depth: int) -> Rankings:
    """Rank the table's codes for each query; a code scores as its best text does (coding.md section 3.4).

    Args:
        queries: q mentions.
        table: codes table, n rows.
        options: see ``OPTIONS``.
        context: ``encoder``, and ``embeddings`` (n, d) of the table under it.
        depth: codes per query.

    Raises:
        UserError: the embeddings are of another table or encoder.
    """
    model = load_encoder(context.encoder, context.device)
    batch = options.get("encode_batch", OPTIONS["encode_batch"]["default"])
    return retrieve(model, queries, table, context.embeddings, depth, batch)
