"""Neighbours that vote: annotated mentions and code texts near a query speak for their codes.

A code's score is (sum over the near texts of (1 + log n) similarity^p)^(1/p): n is how often annotators gave the
code to that string, 1 for a text of the table, and p the sharpness; a high p lets the nearest text decide.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
import polars as pl

from clinbench.coding.runs import Ranking, sort_ranking
from clinbench.coding.text import fold

DIGITS = 12  # votes are sums whose order must not decide a tie
Voters = dict[str, dict[str, float]]


def voters(table: pl.DataFrame, mentions: pl.DataFrame | None) -> Voters:
    """Return each distinct folded text with its codes and the weight of its vote for each.

    Args:
        table: codes table.
        mentions: queries frame of annotated mentions, or None.
    """
    counts: dict[str, Counter] = defaultdict(Counter)
    if mentions is not None:
        for query, code in mentions.select("query", "code").iter_rows():
            counts[fold(query)][code] += 1
    for text, code in table.select("text", "code").iter_rows():
        counts[fold(text)].setdefault(code, 1)
    return {text: {code: 1 + np.log(n) for code, n in codes.items()} for text, codes in counts.items()}


def tally(near: Iterable[tuple[dict[str, float], float]], sharpness: float, depth: int) -> Ranking:
    """Rank codes by the votes of a query's neighbours.

    Args:
        near: for each neighbour its codes with their weights, and its similarity to the query; one that is not
            positive has no vote.
        sharpness: p.
        depth: codes at most.
    """
    votes: dict[str, float] = defaultdict(float)
    for codes, similarity in near:
        for code, weight in codes.items():
            votes[code] += weight * max(similarity, 0.0) ** sharpness
    scores = np.round(np.array(list(votes.values())) ** (1 / sharpness), DIGITS)
    return [pair for pair in sort_ranking(list(votes), scores, depth) if pair[1] > 0]
