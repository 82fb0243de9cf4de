"""Re-ranking: the first stage's shortlist in the order of a cross-encoder's raw logits, then its tail."""

import math
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import polars as pl

from clinbench.coding.closest import Closest
from clinbench.coding.runs import Ranking, Rankings, sort_ranking
from clinbench.coding.text import fold
from clinbench.coding.voting import counted
from clinbench.errors import UserError, refuse

Pair = tuple[str, str]


def rerank(
    queries: list[str],
    table: pl.DataFrame,
    first_stage: Rankings | None,
    score: Callable[[list[Pair]], np.ndarray],
    shortlist: int,
    depth: int,
    closest: bool = False,
    mentions: pl.DataFrame | None = None,
) -> Rankings:
    """Re-order the first ``shortlist`` codes of each ranking; the others follow in the first stage's order.

    A code scores as its best text does, or as the one that is closest to the mention: its logit, plus the logarithm of
    the code's share of the annotations where several codes have that text. A code of the tail gets the
    lowest score of its query's shortlist less its place in the tail (1, 2, ...), so scores fall strictly from the
    last re-ranked code on and a run file alone gives the order back. Scores of one query are comparable, those of
    two are not.

    Args:
        queries: q mentions.
        table: codes table.
        first_stage: q rankings.
        score: maps distinct (mention, text) pairs to their logits, float32; called once.
        shortlist: codes per query that are scored.
        depth: codes per query that are returned.
        closest: score one text of each code (see ``Closest``) instead of all.
        mentions: queries frame of the annotated mentions among the texts, or None.

    Raises:
        UserError: rankings that do not fit the queries, or hold a code that is not in the table.
    """
    read = _reader(table, _checked(queries, first_stage), closest)
    heads = [[code for code, _ in ranking[:shortlist]] for ranking in first_stage]
    texts = {
        (query, code): read(query, code) for query, head in zip(queries, heads, strict=True) for code in head
    }
    pairs = {(query, text): None for (query, _), found in texts.items() for text in found}
    logit = dict(zip(pairs, score(list(pairs)), strict=True))
    share = _log_shares(table, mentions)
    ranked = []
    for query, head, ranking in zip(queries, heads, first_stage, strict=True):
        scores = [max(logit[query, text] + share(text, code) for text in texts[query, code]) for code in head]
        ranked.append(
            _with_tail(sort_ranking(head, np.array(scores), len(head)), ranking[shortlist:])[:depth]
        )
    return ranked


def _with_tail(head: Ranking, tail: Ranking) -> Ranking:
    lowest = head[-1][1] if head else 0.0
    return head + [(code, lowest - place) for place, (code, _) in enumerate(tail, 1)]


def _checked(queries: list[str], first_stage: Rankings | None) -> Rankings:
    if first_stage is None or len(first_stage) != len(queries):
        count = "none" if first_stage is None else len(first_stage)
        raise UserError(
            f"Re-ranking needs one first-stage ranking per query: {len(queries)} queries, {count} rankings."
        )
    return first_stage


def _reader(table: pl.DataFrame, rankings: Rankings, closest: bool) -> Callable[[str, str], list[str]]:
    """Return what gives the texts of a code that are scored; every code of the rankings must be in the table."""
    texts: dict[str, list[str]] = defaultdict(list)
    for code, text in table.select("code", "text").iter_rows():
        texts[code].append(text)
    unknown = sorted({code for ranking in rankings for code, _ in ranking} - texts.keys())
    refuse((f"'{code}'" for code in unknown), "The first stage ranks codes that the table does not have:")
    if not closest:
        return lambda _, code: texts[code]
    found = Closest(table)
    return lambda query, code: [found.of(query, code)]


def _log_shares(table: pl.DataFrame, mentions: pl.DataFrame | None) -> Callable[[str, str], float]:
    """Return what gives the logarithm of a code's share of the annotations of one of its texts."""
    counts = counted(table, mentions)

    def share(text: str, code: str) -> float:
        codes = counts[fold(text)]
        return math.log(codes[code] / codes.total())

    return share
