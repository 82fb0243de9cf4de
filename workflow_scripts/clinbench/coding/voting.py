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
        self._codes, self._code_at = np.unique(table["code"].to_numpy(), return_inverse=True)
        self._sharpness = sharpness

    def rank(self, cosines: np.ndarray, depth: int) -> Ranking:
        """Rank the codes for one query, given its cosine with each text of the table, (n,)."""
        parts = self._weights * np.maximum(cosines, 0.0).astype(np.float64) ** self._sharpness
        votes = np.bincount(self._code_at, parts, len(self._codes)) ** (1 / self._sharpness)
        return sort_ranking(self._codes, np.round(votes, DIGITS), depth)


def all_texts(table: pl.DataFrame, mentions: pl.DataFrame | None, sharpness: float | None) -> AllTexts | None:
    """Return how a table's texts vote, or None where no sharpness is given."""
    return None if sharpness is None else AllTexts(table, mentions, sharpness)
