"""Metrics of ranked codes with one gold code per query (coding.md §3.3)."""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from clinbench.evaluation.bootstrap import checked_units

DEPTHS = (3, 5, 10, 50, 100)  # of R@k; R@1 is recall
METRICS = ("precision", "recall", "f1", "map10", "mrr", *(f"r{depth}" for depth in DEPTHS))

Ranking = Sequence[tuple[str, float]]


def gold_ranks(
    rankings: Sequence[Ranking], golds: Sequence[str | Sequence[str]], level_of: Callable[[str], str]
) -> np.ndarray:
    """Find each query's gold in its ranking at one level of the code hierarchy.

    A ranking is taken in the order given and collapsed to the level, each class standing where its first
    code stands.

    Args:
        rankings: per query (code, score) pairs, best first.
        golds: per query the gold code, or all that are accepted: the best placed counts.
        level_of: maps a code to its class at the level.

    Returns:
        (Q,) int64 ranks from 1; 0 where the gold is absent.

    Example:
        >>> gold_ranks([[("A00.1", 3.0), ("A00.9", 2.0), ("B20", 1.0)]], ["B20"], lambda code: code[:3])
        array([2])
    """
    of = cache(level_of)
    accepted = [{gold} if isinstance(gold, str) else set(gold) for gold in golds]
    return np.array(
        [_rank(ranking, set(map(of, gold)), of) for ranking, gold in zip(rankings, accepted, strict=True)],
        dtype=np.int64,
    )


def answered_queries(rankings: Sequence[Ranking]) -> np.ndarray:
    """Tell (Q,) bool which queries got any answer."""
    return np.array([len(ranking) > 0 for ranking in rankings], dtype=bool)


def ranking_metrics(
    ranks: np.ndarray, answered: np.ndarray, weights: np.ndarray | None = None
) -> dict[str, float]:
    """Score ranked codes (coding.md §3.3).

    Precision is correct first codes over answered queries, recall over all, F1 their harmonic mean; MAP@10
    with one gold is 1/rank up to rank 10 and MRR without that limit; R@k is the share of golds
    within the first k. Without an answer precision is NaN and the rest 0; without a query all are NaN.

    Args:
        ranks: (Q,) of ``gold_ranks``.
        answered: (Q,) bool of ``answered_queries``.
        weights: (Q,) how often each query counts; once by default.

    Example:
        >>> ranking_metrics([1, 2, 0, 0], [True, True, True, False])["map10"]
        0.375
    """
    counted = np.ones(len(ranks)) if weights is None else np.asarray(weights, dtype=np.float64)
    return {name: float(value) for name, value in ratios(counted @ tallies(ranks, answered)).items()}


def bootstrap_ranking(
    ranks: np.ndarray, answered: np.ndarray, docs: np.ndarray, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """Score each draw of documents, averaged over the seeds.

    Args:
        ranks: (S, Q) ranks of S seeds.
        answered: (S, Q) or (Q,) bool.
        docs: (Q,) int, the document of each query.
        weights: (D, U) multiplicities of ``draw_weights``.

    Returns:
        Each of ``METRICS`` to (D,) float64; NaN where undefined.

    Raises:
        UserError: a document is no column of ``weights``.
    """
    ranks = np.atleast_2d(ranks)
    unit = checked_units(docs, ranks.shape[1], weights)
    seeds = []
    for of_seed in tallies(ranks, np.broadcast_to(answered, ranks.shape)):
        by_document = np.zeros((weights.shape[1], of_seed.shape[1]))
        np.add.at(by_document, unit, of_seed)
        seeds.append(ratios(weights @ by_document))
    return {name: np.mean([seed[name] for seed in seeds], axis=0) for name in METRICS}


def _rank(ranking: Ranking, accepted: set[str], of: Callable[[str], str]) -> int:
    seen: set[str] = set()
    for code, _ in ranking:
        if of(code) in accepted:
            return len(seen) + 1
        seen.add(of(code))
    return 0


def tallies(ranks: np.ndarray, answered: np.ndarray) -> np.ndarray:
    """Return (..., Q, 5 + depths): what each query adds to the queries, answers, hits and sums of the metrics."""
    ranks, answered = np.asarray(ranks), np.asarray(answered)
    found = ranks > 0
    reciprocal = np.where(found, 1 / np.maximum(ranks, 1), 0.0)
    within = [found & (ranks <= depth) for depth in DEPTHS]
    columns = [np.ones(ranks.shape), answered, ranks == 1, reciprocal * (ranks <= 10), reciprocal, *within]
    return np.stack(columns, axis=-1, dtype=np.float64, casting="unsafe")


def ratios(sums: np.ndarray) -> dict[str, np.ndarray]:
    """Turn summed tallies (..., 5 + depths) into the metrics."""
    queries, answers, correct, map10, mrr, *within = np.moveaxis(np.asarray(sums), -1, 0)
    with np.errstate(invalid="ignore"):
        values = (
            correct / answers,
            correct / queries,
            2 * correct / (answers + queries),
            map10 / queries,
            mrr / queries,
            *(found / queries for found in within),
        )
    return dict(zip(METRICS, values, strict=True))
