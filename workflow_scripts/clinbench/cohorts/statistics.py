"""What the two data tables of the paper say of a cohort: sizes and labels, and lengths of stays."""

import numpy as np
from scipy.stats import skew

from clinbench.cohorts.tensors import SPLITS, Cohort


def cohort_statistics(cohort: Cohort) -> dict[str, dict]:
    """Return counts, labels and lengths of each split and of ``all`` stays.

    Returns:
        For ``train``, ``val``, ``test`` and ``all``: ``stays``, ``patients``; ``positives``, a number, and
        their ``share`` of all labels (with 25 labels a stay, the label density) and, with several labels,
        ``positives_of_each``, a list; ``hours``, see ``length_statistics``. JSON-able.
    """
    return {
        name: _part(cohort, np.full(len(cohort), True) if name == "all" else cohort.split == name)
        for name in (*SPLITS, "all")
    }


def length_statistics(hours: np.ndarray) -> dict[str, float | int | None]:
    """Describe lengths of stays, (N,) hours: mean, std (n − 1), min, max, skewness (third standardised moment).

    None where undefined: all for no stays, std and skewness for one, skewness for equal lengths.
    """
    some, spread = len(hours) > 0, len(hours) > 1 and np.ptp(hours) > 0
    return {
        "mean": float(np.mean(hours)) if some else None,
        "std": float(np.std(hours, ddof=1)) if len(hours) > 1 else None,
        "min": int(np.min(hours)) if some else None,
        "max": int(np.max(hours)) if some else None,
        "skewness": float(skew(hours)) if spread else None,
    }


def _part(cohort: Cohort, chosen: np.ndarray) -> dict:
    labels = cohort.labels[chosen]
    each = labels.sum(axis=0, dtype=np.int64)
    found = {
        "stays": int(chosen.sum()),
        "patients": len(np.unique(cohort.patients[chosen])),
        "positives": int(each.sum()),
        "share": float(labels.mean(dtype=np.float64)) if labels.size else None,
        "hours": length_statistics(cohort.lengths[chosen]),
    }
    return found | ({"positives_of_each": each.tolist()} if labels.ndim == 2 else {})
