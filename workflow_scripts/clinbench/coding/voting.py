"""Texts that vote: annotated mentions and code texts near a query speak for their codes.

A code's score is (sum over its texts of (1 + log n) similarity^p)^(1/p), over the near ones or over all: n is how
often annotators gave the code to that string, 1 for a text of the table, and p the sharpness; a high p lets the
nearest text decide.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
import polars as pl

from clinbench.coding.mentions import SOURCE
from clinbench.coding.runs import Ranking, sort_ranking
from clinbench.coding.text import fold

DIGITS = 12  # votes are sums whose order must not decide a tie
TINY = np.finfo(np.float64).tiny
Voters = dict[str, dict[str, float]]


def counted(table: pl.DataFrame, mentions: pl.DataFrame | None) -> dict[str, Counter]:
    """Return how often each distinct folded text was given each of its codes; a text of the table counts once.

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
    return dict(counts)


def voters(table: pl.DataFrame, mentions: pl.DataFrame | None) -> Voters:
    """Return each distinct folded text with its codes and the weight of its vote for each, from ``counted``."""
    return {
        text: {code: 1 + np.log(n) for code, n in codes.items()}
        for text, codes in counted(table, mentions).items()
    }


def tally(near: Iterable[tuple[dict[str, float], float]], sharpness: float, depth: int) -> Ranking:
    """Rank codes by the votes of a query's neighbours.

    Args:
        near: for each neighbour its codes with their weights, and its similarity to the query; one that is not
            positive has no vote.
        sharpness: p.
        depth: codes at most.
    """
    votes: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for codes, similarity in near:
        for code, weight in codes.items():
            if similarity > 0:
                votes[code].append((weight, similarity))
    scores = [_pooled(*np.array(parts).T, sharpness) for parts in votes.values()]
    return sort_ranking(list(votes), np.round(scores, DIGITS), depth)


def _pooled(weights: np.ndarray, similarities: np.ndarray, sharpness: float) -> float:
    best = similarities.max()  # powers of small numbers would be 0
    return best * (weights @ (similarities / best) ** sharpness) ** (1 / sharpness)


class AllTexts:
    """All texts of a table vote at once; mentions that stand in it as texts have their counts."""

    def __init__(self, table: pl.DataFrame, mentions: pl.DataFrame | None, sharpness: float) -> None:
        """Weigh the texts.

        Args:
            table: codes table, n rows; rows of one code and folded text share one vote.
            mentions: queries frame of the annotated mentions among the texts, or None.
            sharpness: p.
        """
        weights = voters(table.filter(pl.col("source") != SOURCE), mentions)
        rows = [(fold(text), code) for text, code in table.select("text", "code").iter_rows()]
        shared = Counter(rows)
        self._weights = np.array([weights[text][code] / shared[text, code] for text, code in rows])
        self._codes, code_at = np.unique(table["code"].to_numpy(), return_inverse=True)
        self._order = np.argsort(code_at, kind="stable")
        self._code_at = code_at[self._order]
        self._starts = np.searchsorted(self._code_at, np.arange(len(self._codes)))
        self._weights, self._sharpness = self._weights[self._order], sharpness

    def rank(self, cosines: np.ndarray, depth: int) -> Ranking:
        """Rank the codes for one query by its cosine with each text of the table, (n,); negative ones have no vote."""
        positive = np.maximum(cosines[self._order], 0.0).astype(np.float64)
        best = np.maximum.reduceat(positive, self._starts)  # powers of small numbers would be 0
        parts = self._weights * (positive / np.maximum(best, TINY)[self._code_at]) ** self._sharpness
        votes = best * np.add.reduceat(parts, self._starts) ** (1 / self._sharpness)
        kept = best > 0
        return sort_ranking(self._codes[kept], np.round(votes[kept], DIGITS), depth)


def all_texts(table: pl.DataFrame, mentions: pl.DataFrame | None, sharpness: float | None) -> AllTexts | None:
    """Return how a table's texts vote, or None where no sharpness is given."""
    return None if sharpness is None else AllTexts(table, mentions, sharpness)
