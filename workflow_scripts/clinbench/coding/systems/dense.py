"""Untuned dense retrieval: cosine between the encoder's vectors of mention and description."""

import polars as pl

from clinbench.coding.context import Context
from clinbench.coding.dense import retrieve
from clinbench.coding.load import load_encoder
from clinbench.coding.runs import Rankings
from clinbench.coding.voting import all_texts
from clinbench.defaults import with_defaults

OPTIONS = {
    "encode_batch": {
        "type": "integer",
        "minimum": 1,
        "default": 64,
        "description": "Texts per forward pass; changes speed and memory, not results.",
    },
    "sharpness": {
        "type": ["number", "null"],
        "exclusiveMinimum": 0,
        "default": None,
        "description": "null: a code scores as its best text does. A number: all texts of a code vote, mentions by how "
        "often they were annotated so, and this is the power of the cosine in a vote.",
    },
}
TRAINED = False
NEEDS = ("encoder", "embeddings")


def search(queries: list[str], table: pl.DataFrame, options: dict, context: Context, depth: int) -> Rankings:
    """Rank the table's codes for each query; a code scores as its best text does, or by votes (see ``voting``).

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
    settings = with_defaults(OPTIONS, options)
    votes = all_texts(table, context.mentions, settings["sharpness"])
    return retrieve(model, queries, table, context.embeddings, depth, settings["encode_batch"], votes)
