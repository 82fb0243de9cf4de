"""BM25 over the descriptions of the codes: the lexical baseline, nothing trained."""

import polars as pl

from clinbench.coding.bm25 import build_index, rank
from clinbench.coding.context import Context
from clinbench.coding.runs import Rankings
from clinbench.defaults import with_defaults

TITLE = "BM25"
TRAINED = False
NEEDS = ()
OPTIONS = {
    "k1": {
        "type": "number",
        "minimum": 0,
        "default": 1.5,
        "description": "Saturation of a token's frequency (no unit).",
    },
    "b": {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "default": 0.75,
        "description": "Strength of the correction for the length of a description (0 none to 1 full).",
    },
    "epsilon": {
        "type": "number",
        "minimum": 0,
        "default": 0.25,
        "description": "Weight of words in over half of the descriptions, as a share of the mean idf.",
    },
}


def search(queries: list[str], table: pl.DataFrame, options: dict, context: Context, depth: int) -> Rankings:
    """Rank the table's codes for each mention; no shared word means no answer (empty ranking)."""
    settings = with_defaults(OPTIONS, options)
    index = build_index(table["text"].to_list(), **settings)
    return rank(index, table["code"].to_list(), queries, depth)
