"""What a system may answer and what it may read: the pool of codes, their texts, annotated mentions."""

from typing import NamedTuple

import numpy as np
import polars as pl

from clinbench.coding.gold import alternatives
from clinbench.coding.mentions import SOURCE, as_texts, usable
from clinbench.errors import UserError

POOLS = ("full", "gold_union", "train_gold")


class Candidates(NamedTuple):
    """A system's side of a search.

    Attributes:
        table: codes table of the pool, mentions that serve as texts at its end.
        embeddings: (m, d) of the first m texts of ``table``, or None.
        mentions: the annotated mentions whose code is in the pool, or None where none are read.
    """

    table: pl.DataFrame
    embeddings: np.ndarray | None
    mentions: pl.DataFrame | None


def pool_of(table: pl.DataFrame, queries: pl.DataFrame, training: pl.DataFrame, pool: str) -> set[str]:
    """Return the codes that may be answered (coding.md section 3.4).

    Args:
        table: codes table.
        queries: of the benchmark.
        training: queries frame whose train and val rows a system learns from; may be ``queries``.
        pool: ``full``: every code of the table; ``gold_union``: those that are a gold code in any split;
            ``train_gold``: those that are one in train or val.

    Raises:
        UserError: another pool, or an empty one.
    """
    if pool not in POOLS:
        raise UserError(f"There is no pool '{pool}'; choose from {', '.join(POOLS)}.")
    codes = set(table["code"])
    if pool == "full":
        return codes
    cells = set(training.filter(pl.col("split") != "test")["code"])
    if pool == "gold_union":
        cells |= set(queries["code"])
    kept = codes & {code for cell in cells for code in alternatives(cell, codes)}
    if not kept:
        raise UserError(f"The pool '{pool}' is empty: no gold code is in the table.")
    return kept


def candidates(
    table: pl.DataFrame,
    embeddings: np.ndarray | None,
    codes: set[str],
    mentions: pl.DataFrame | None = None,
    sources: list[str] | None = None,
    join: bool = False,
) -> Candidates:
    """Cut a table to a pool and to some of its texts, and add mentions to it.

    Args:
        table: codes table, n rows.
        embeddings: (n, d) of its texts, or None.
        codes: the pool, from ``pool_of``.
        mentions: queries frame of annotated mentions, or None.
        sources: sources whose texts are kept; None keeps all.
        join: add the mentions to the texts of their codes.

    Raises:
        UserError: a source that the table does not have, or no text is left.
    """
    there = set(table["source"])
    if SOURCE in there:
        raise UserError(f"A codes table has texts of the source '{SOURCE}', which is that of annotated ones.")
    if missing := sorted(set(sources or ()) - there):
        raise UserError(
            f"The codes table has no texts of {', '.join(missing)}; its sources: {', '.join(sorted(there))}."
        )
    keep = pl.col("code").is_in(sorted(codes))
    if sources is not None:
        keep &= pl.col("source").is_in(sources)
    numbered = table.with_row_index("row").filter(keep)
    if numbered.is_empty():
        raise UserError("No text of the codes table is left to search in.")
    kept = numbered.drop("row")
    if mentions is not None:
        mentions = usable(mentions, codes)
        if join:
            kept = pl.concat([kept, as_texts(mentions)])
    rows = None if embeddings is None else embeddings[numbered["row"].to_numpy()]
    return Candidates(kept, rows, mentions)
