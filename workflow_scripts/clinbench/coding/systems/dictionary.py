"""Dictionary: the codes that annotators gave to the very same string; no answer for any other.

The honest opponent of every learned system (coding.md section 0, finding 2): most mentions of a corpus
repeat a string of its train part.
"""

import polars as pl

from clinbench.coding.context import Context
from clinbench.coding.mentions import annotations, shares
from clinbench.coding.runs import Rankings
from clinbench.coding.text import fold

TITLE = "Dictionary"
TRAINED = False
NEEDS = ("mentions",)
OPTIONS = {}


def search(queries: list[str], table: pl.DataFrame, options: dict, context: Context, depth: int) -> Rankings:
    """Rank the codes of a query's folded string by their share of its annotations.

    Args:
        queries: q mentions.
        table: not looked at.
        options: none.
        context: ``mentions``, the annotated ones.
        depth: codes per query.

    Raises:
        UserError: no annotated mention.
    """
    known = {string: shares(counts) for string, counts in annotations(context.mentions).items()}
    return [known.get(fold(query), [])[:depth] for query in queries]
