"""Metrics of many binary outcomes at once (phenotyping)."""

import numpy as np

from clinbench.evaluation.binary import binary_metrics, checked

METRICS = ("micro_auroc", "macro_auroc", "weighted_auroc")


def multilabel_metrics(y: np.ndarray, p: np.ndarray) -> dict[str, float]:
    """Score C outcomes of each stay: AUROC micro, macro and weighted by positives (risk.md §4.5).

    A label with one class only has no AUROC: it is left out of macro and weighted, and ``labels``
    says how many were left in. With none, the metrics are NaN.

    Args:
        y: (N, C) labels, 0 or 1.
        p: (N, C) scores.

    Returns:
        The three metrics, and ``labels``: how many labels macro and weighted average over.

    Raises:
        UserError: as ``binary_metrics``.

    Example:
        >>> multilabel_metrics([[0, 1], [1, 1]], [[0.2, 0.6], [0.7, 0.9]])
        {'micro_auroc': 1.0, 'macro_auroc': 1.0, 'weighted_auroc': 1.0, 'labels': 1}
    """
    y, p = checked(y, p)
    auroc = np.array([binary_metrics(*pair)["auroc"] for pair in zip(y.T, p.T, strict=True)])
    micro = binary_metrics(y.ravel(), p.ravel())["auroc"]
    averages = averaged(np.float64(micro), auroc, y.sum(axis=0))
    return {name: float(value) for name, value in averages.items()} | {"labels": int((auroc == auroc).sum())}


def averaged(micro: np.ndarray, auroc: np.ndarray, positives: np.ndarray) -> dict[str, np.ndarray]:
    """Average per-label AUROC (..., C), leaving undefined labels out; ``positives`` (..., C) are weights."""
    defined = ~np.isnan(auroc)
    known = np.where(defined, auroc, 0.0)
    with np.errstate(invalid="ignore"):
        macro = known.sum(axis=-1) / defined.sum(axis=-1)
        weighted = (known * positives).sum(axis=-1) / (defined * positives).sum(axis=-1)
    return dict(zip(METRICS, (micro, macro, weighted), strict=True))
