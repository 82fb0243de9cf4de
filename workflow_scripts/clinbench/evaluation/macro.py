"""Macro averages over gold classes, beside the micro averages of ``ranking`` (coding.md section 3.3)."""

import numpy as np

from clinbench.evaluation.bootstrap import checked_units

METRICS = ("macro_precision", "macro_recall", "macro_f1")


def macro_metrics(gold: np.ndarray, top: np.ndarray, weights: np.ndarray | None = None) -> dict[str, float]:
    """Average precision, recall and F1 of the first answers over the classes that occur as gold.

    A class that is never answered has precision 0 and F1 0; without a query all are NaN.

    Args:
        gold: (Q,) int classes, 0 or above.
        top: (Q,) int class of each query's first answer, -1 without one.
        weights: (Q,) how often each query counts; once by default.

    Example:
        >>> macro_metrics(np.array([0, 0, 1]), np.array([0, 1, 1]))["macro_f1"]
        0.6666666666666666
    """
    counted = np.ones((1, len(gold))) if weights is None else np.asarray(weights, dtype=np.float64)[None]
    scored = bootstrap_macro(gold, np.asarray(top)[None], np.arange(len(gold)), counted)
    return {name: float(values[0]) for name, values in scored.items()}


def bootstrap_macro(
    gold: np.ndarray, tops: np.ndarray, docs: np.ndarray, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """Score each draw of documents, averaged over the seeds; classes without a gold in a draw are left out of it.

    Args:
        gold: (Q,) int classes.
        tops: (S, Q) int classes of S seeds, -1 without an answer.
        docs: (Q,) int, the document of each query.
        weights: (D, U) multiplicities of ``draw_weights``.

    Returns:
        Each of ``METRICS`` to (D,) float64; NaN where a draw has no query.

    Raises:
        UserError: a document is no column of ``weights``.
    """
    gold, tops = np.asarray(gold), np.atleast_2d(tops)
    unit = checked_units(docs, len(gold), weights)
    classes, own = np.unique(gold, return_inverse=True)
    asked = _by_document(weights, unit, own, len(classes))
    seeds = []
    for top in tops:
        place = np.minimum(np.searchsorted(classes, top), max(len(classes) - 1, 0))
        known = classes[place] == top if len(classes) else np.zeros(0, dtype=bool)
        answered = _by_document(weights, unit[known], place[known], len(classes))
        right = _by_document(weights, unit[top == gold], own[top == gold], len(classes))
        seeds.append(_averages(asked, answered, right))
    return {name: np.mean([seed[at] for seed in seeds], axis=0) for at, name in enumerate(METRICS)}


def _by_document(weights: np.ndarray, unit: np.ndarray, label: np.ndarray, classes: int) -> np.ndarray:
    """Count queries of each class in each draw: (D, classes) float64."""
    counts = np.zeros((weights.shape[1], classes))
    np.add.at(counts, (unit, label), 1.0)
    return weights @ counts


def _averages(asked: np.ndarray, answered: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, ...]:
    """Average (D, classes) counts over the classes asked for: three of (D,)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(answered > 0, right / answered, 0.0)
        ratios = (precision, right / asked, 2 * right / (asked + answered))
        present = asked > 0
        return tuple(np.where(present, ratio, 0.0).sum(axis=1) / present.sum(axis=1) for ratio in ratios)
