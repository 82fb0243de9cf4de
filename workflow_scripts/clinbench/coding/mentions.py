"""Annotated mentions as knowledge: which codes annotators gave to a string, and as further texts of a table."""

from collections import Counter, defaultdict

import polars as pl

from clinbench.coding.codes import parse
from clinbench.coding.frames import TABLE
from clinbench.coding.runs import Ranking
from clinbench.coding.text import fold
from clinbench.errors import UserError

SOURCE = "mentions"  # of the texts that are mentions


def usable(mentions: pl.DataFrame, codes: set[str]) -> pl.DataFrame:
    """Keep the mentions whose gold is one code that is in the pool.

    Args:
        mentions: queries frame.
        codes: the pool.
    """
    single = [parse(code).kind == "single" and code in codes for code in mentions["code"]]
    return mentions.filter(pl.Series(single, dtype=pl.Boolean))


def annotations(mentions: pl.DataFrame | None) -> dict[str, Counter]:
    """Count the codes of each folded string.

    Args:
        mentions: queries frame.

    Returns:
        Folded mention to its codes and how often each was given, strings in order of first occurrence.

    Raises:
        UserError: there is no mention.
    """
    if mentions is None or mentions.is_empty():
        raise UserError(
            "This system knows nothing but annotated mentions, and there are none. Give the benchmark a train "
            "part, or name with 'train_on' the benchmark whose mentions it learns from."
        )
    found: dict[str, Counter] = defaultdict(Counter)
    for query, code in mentions.select("query", "code").iter_rows():
        found[fold(query)][code] += 1
    return dict(found)


def shares(counts: Counter) -> Ranking:
    """Rank the codes of one string by their share of its annotations, (0, 1], ties by code."""
    total = counts.total()
    return sorted(((code, n / total) for code, n in counts.items()), key=lambda item: (-item[1], item[0]))


def as_texts(mentions: pl.DataFrame) -> pl.DataFrame:
    """Return the distinct (mention, code) pairs as rows of a codes table, their source ``mentions``."""
    return mentions.select(
        "code", pl.col("query").alias("text"), "lang", pl.lit(SOURCE).alias("source")
    ).unique(subset=["code", "text"], maintain_order=True)[list(TABLE)]
