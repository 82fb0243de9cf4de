"""Re-ranking: the first stage's shortlist in the order of a cross-encoder's raw logits, then its tail."""

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import polars as pl

from clinbench.coding.runs import Ranking, Rankings, sort_ranking
from clinbench.coding.texts import first_texts
from clinbench.errors import UserError, refuse

Pair = tuple[str, str]


def rerank(
    queries: list[str],
    table: pl.DataFrame,
    first_stage: Rankings | None,
    score: Callable[[list[Pair]], np.ndarray],
    shortlist: int,
    depth: int,
    lang: str | None = None,
) -> Rankings:
    """Re-order the first ``shortlist`` codes of each ranking; the others follow in the first stage's order.

    A code scores as its best text does, or as its first one in language ``lang``. A code of the tail gets the
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
        lang: score one text of each code, the first in this language if there is one, else its first; None scores all.

    Raises:
        UserError: rankings that do not fit the queries, or hold a code that is not in the table.
    """
    texts = _texts(table, _checked(queries, first_stage), lang)
    heads = [[code for code, _ in ranking[:shortlist]] for ranking in first_stage]
    pairs = {
        (query, text): None
        for query, head in zip(queries, heads, strict=True)
        for code in head
        for text in texts[code]
    }
    logit = dict(zip(pairs, score(list(pairs)), strict=True))
    ranked = []
    for query, head, ranking in zip(queries, heads, first_stage, strict=True):
        scores = [max(logit[query, text] for text in texts[code]) for code in head]
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


def _texts(table: pl.DataFrame, rankings: Rankings, lang: str | None) -> dict[str, list[str]]:
    """Return the texts of each code that are scored; every code of the rankings must be in the table."""
    texts: dict[str, list[str]] = defaultdict(list)
    if lang is not None:
        first = first_texts(table)
        texts |= {code: [first.of(code, lang)] for code in first.codes}
    else:
        for code, text in table.select("code", "text").iter_rows():
            texts[code].append(text)
    unknown = sorted({code for ranking in rankings for code, _ in ranking} - texts.keys())
    refuse((f"'{code}'" for code in unknown), "The first stage ranks codes that the table does not have:")
    return dict(texts)
