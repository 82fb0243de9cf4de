"""DeLong's test of two AUROCs on the same samples, a check on the resampled ones."""

import numpy as np
from scipy.stats import norm, rankdata

from clinbench.evaluation.binary import checked
from clinbench.evaluation.bootstrap import checked_units


def delong(y: np.ndarray, first: np.ndarray, second: np.ndarray, groups: np.ndarray) -> dict[str, float]:
    """Compare two AUROCs, each averaged over its seeds, in O(N log N) (DeLong 1988; Sun and Xu 2014).

    Stays of one patient are not independent: contributions are summed by patient (Obuchowski 1997), which is
    DeLong's formula where each has one. The trained models are taken as they are: seeds add no variance.

    Args:
        y: (N,) labels, 0 or 1.
        first, second: (N,) or (S, N) scores; the numbers of seeds may differ.
        groups: (N,) int from 0, the patient of each sample.

    Returns:
        ``difference`` of the AUROCs, its ``se`` and the two-sided ``p``; NaN where undefined: with one class only, or
        fewer than two patients of a class.

    Raises:
        UserError: as ``binary_metrics``, or groups do not fit.

    Example:
        >>> y = [1, 1, 0, 0]
        >>> found = delong(y, [0.9, 0.4, 0.5, 0.1], [0.8, 0.7, 0.6, 0.2], [0, 1, 2, 3])
        >>> found["difference"], round(found["se"], 4), round(found["p"], 4)
        (-0.25, 0.3536, 0.4795)
    """
    y, first = checked(y, first, seeds=True)
    _, second = checked(y, second, seeds=True)
    units = int(np.max(groups)) + 1 if len(y) else 0
    unit = checked_units(groups, len(y), np.empty((0, units)))
    sides = [unit[y], unit[~y]]
    patients = [len(np.unique(side)) for side in sides]
    if min(patients) < 2:
        return dict.fromkeys(("difference", "se", "p"), np.nan)
    gains = placements(y, first) - placements(y, second)
    difference = gains[y].mean()
    # (units,) of each class: what a patient's samples add beyond the mean.
    sums = [
        np.bincount(side, one - difference, units)
        for side, one in zip(sides, (gains[y], gains[~y]), strict=True)
    ]
    ratios = [count / (count - 1) for count in patients]
    variance = sum(
        ratio * (one**2).sum() / len(side) ** 2 for ratio, one, side in zip(ratios, sums, sides, strict=True)
    )
    both = len(np.unique(unit))
    variance += 2 * both / (both - 1) * (sums[0] * sums[1]).sum() / (len(sides[0]) * len(sides[1]))
    se = float(np.sqrt(max(variance, 0.0)))
    p = 2 * norm.sf(abs(difference) / se) if se else float(difference == 0)
    return {"difference": float(difference), "se": se, "p": float(p)}


def placements(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return for each sample the share of the other class it is ranked rightly against, ties half: (N,).

    Args:
        y: (N,) bool with both classes.
        p: (S, N) scores; the shares are averaged over the S seeds.
    """
    found = np.empty(p.shape)
    for own in (y, ~y):
        below = rankdata(p, axis=1)[:, own] - rankdata(p[:, own], axis=1)  # of the other class, ties half
        share = below / (~own).sum()
        found[:, own] = share if own is y else 1 - share
    return found.mean(axis=0)
