"""Metrics of a binary prediction, defined once and undefined where they are undefined."""

import numpy as np

from clinbench.errors import UserError, refuse

METRICS = ("auroc", "average_precision", "auprc", "minpse", "accuracy")


def binary_metrics(y: np.ndarray, p: np.ndarray) -> dict[str, float]:
    """Score the probabilities of one binary outcome (SCEHR, section IV; risk.md §4.5).

    ``auprc`` is the trapezoid under the precision-recall curve, as SCEHR reports it: optimistic, above all
    with tied scores, so read ``average_precision`` beside it. ``minpse`` is the maximum of min(precision,
    recall) over the curve. ``accuracy`` counts a sample as positive if p > .5. With one class only, all but
    accuracy are NaN; with no sample, all are.

    Args:
        y: (N,) labels, 0 or 1.
        p: (N,) scores; probabilities if accuracy is to mean anything.

    Raises:
        UserError: a score is not finite or a label is neither 0 nor 1; the rows are named.

    Example:
        >>> binary_metrics([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.6])["auroc"]
        0.75
    """
    y, p = checked(y, p)
    scores = dict.fromkeys(METRICS, np.nan)
    if y.size:
        scores["accuracy"] = float(np.mean((p > 0.5) == y))
    if y.all() or not y.any():
        return scores
    order, ends = sorted_scores(p)
    tp = np.cumsum(y[order])[ends]
    fp = ends + 1 - tp
    precision, recall = tp / (tp + fp), tp / tp[-1]
    gained = np.diff(recall, prepend=0)
    return scores | {
        "auroc": float(np.sum(np.diff(fp, prepend=0) * (tp + np.append(0, tp[:-1]))) / (2 * tp[-1] * fp[-1])),
        "average_precision": float(gained @ precision),
        "auprc": float(gained @ (precision + np.append(1, precision[:-1])) / 2),
        "minpse": float(np.minimum(precision, recall).max()),
    }


def tie_share(p: np.ndarray) -> float:
    """Return the share of samples whose score another sample has too; NaN without samples.

    Example:
        >>> tie_share([0.1, 0.5, 0.5, 0.9])
        0.5
    """
    counts = np.unique(np.asarray(p), return_counts=True)[1]
    return float(counts[counts > 1].sum() / counts.sum()) if counts.size else np.nan


def sorted_scores(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (N,) the order of scores from high to low and (G,) where each group of equal scores ends."""
    order = np.argsort(-p)  # need not be stable: a group of equal scores counts as a whole
    return order, np.flatnonzero(np.diff(p[order], append=-np.inf))


def checked(y: np.ndarray, p: np.ndarray, seeds: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels as bool and the scores as float64.

    Args:
        y: (N,) or (N, C) labels.
        p: scores of the same shape; with ``seeds`` they get a leading axis of seeds where they have none.
        seeds: whether scores may be of several seeds.

    Raises:
        UserError: the shapes do not fit, a score is not finite, or a label is neither 0 nor 1.
    """
    y, p = np.asarray(y), np.asarray(p, dtype=np.float64)
    if seeds and p.ndim == y.ndim:
        p = p[None]
    if p.shape[seeds:] != y.shape:
        raise UserError(
            f"Scores of shape {p.shape} do not fit labels of shape {y.shape}: one for each label."
        )
    problems = [f"{_place(i, y.ndim)}: score {p[tuple(i)]}" for i in np.argwhere(~np.isfinite(p))]
    problems += [f"{_place(i, y.ndim)}: label {y[tuple(i)]}" for i in np.argwhere((y != 0) & (y != 1))]
    refuse(
        problems,
        "Scores must be finite and labels 0 or 1 (a model that diverged is not scored: train it "
        "again with a lower learning rate, or leave it out). Seeds, rows and columns are counted from 1:",
    )
    return y.astype(bool), p


def _place(index: np.ndarray, label_axes: int) -> str:
    """Word an index of labels (row, column) or of scores (seed, row, column)."""
    names = ["seed", "row", "column"][1 - (len(index) - label_axes) :]
    return ", ".join(f"{name} {at + 1}" for name, at in zip(names, index, strict=False))
