"""The compiled inner loop of the bootstrap."""

import numba
import numpy as np


# No cache=True: numba refuses to import a cached function where neither the package nor the home is writable.
@numba.njit(nogil=True)
def score_draws(
    y: np.ndarray,
    right: np.ndarray,
    end: np.ndarray,
    unit: np.ndarray,
    weights: np.ndarray,
    curve: bool,
    out: np.ndarray,
) -> None:
    """Score every draw of one binary outcome, sorted once by score from high to low (field.md §5).

    Args:
        y: (N,) bool labels in the order of the scores.
        right: (N,) bool, whether thresholding at .5 is right.
        end: (N,) bool, whether a sample is the last of its group of equal scores: one point of the curves.
        unit: (N,) uint32 unit of each sample, below ``weights.shape[1]``: indices are not checked here.
        weights: (D, U) int32, how often each draw took each unit, so that nothing is copied or sorted again.
        curve: whether the precision-recall curve is walked; half the time.
        out: (D, 6) float64, all NaN; gets ``binary.METRICS``, then the positives; undefined stays NaN.
    """
    hits = unit[y]
    for draw in range(weights.shape[0]):
        drawn = weights[draw]
        positives = drawn[hits].sum()
        tp = total = last_tp = last_total = correct = twice_area = 0
        ap = trapezoid = minpse = 0.0
        for k in range(y.size):
            taken = drawn[unit[k]]
            tp += taken * y[k]
            total += taken
            correct += taken * right[k]
            if end[k]:
                twice_area += (total - last_total - tp + last_tp) * (tp + last_tp)
                if curve and tp > last_tp:
                    precision = tp / total
                    before = last_tp / last_total if last_total > 0 else 1.0  # the curve starts at (0, 1)
                    ap += (tp - last_tp) * precision
                    trapezoid += (tp - last_tp) * (precision + before)
                    minpse = max(minpse, tp / max(total, positives))
                last_tp, last_total = tp, total
        out[draw, 5] = positives
        if total > 0:
            out[draw, 4] = correct / total
        if 0 < positives < total:
            out[draw, 0] = twice_area / (2.0 * positives * (total - positives))
            if curve:
                out[draw, 1] = ap / positives
                out[draw, 2] = trapezoid / (2.0 * positives)
                out[draw, 3] = minpse


@numba.njit(nogil=True)
def score_swaps(
    y: np.ndarray,
    end: np.ndarray,
    unit: np.ndarray,
    second: np.ndarray,
    swaps: np.ndarray,
    curve: bool,
    out: np.ndarray,
) -> None:
    """Score two rows of one binary outcome after swapping them for some units; both were sorted together once.

    Args:
        y: (2N,) bool labels in the order of the scores of both rows, from high to low.
        end: (2N,) bool, whether a score is the last of its group of equal ones.
        unit: (2N,) uint32 unit of each score, below ``swaps.shape[1]``: indices are not checked here.
        second: (2N,) bool, whether a score is the second row's.
        swaps: (D, U) bool, the units swapped in each draw.
        curve: whether the precision-recall curve is walked.
        out: (D, 4) float64, all NaN; gets first less second of the first four of ``binary.METRICS``; with one class
            only, all stay NaN, as those of the curve do without it.
    """
    positives = y.sum() // 2
    negatives = y.size // 2 - positives
    if positives == 0 or negatives == 0:
        return
    for draw in range(swaps.shape[0]):
        swapped = swaps[draw]
        tp = total = both_tp = last_tp = last_total = last_both_tp = last_both = area = 0
        ap = trapezoid = minpse = other_minpse = 0.0
        for k in range(y.size):
            own = np.int64(second[k] == swapped[unit[k]])
            hit = np.int64(y[k])
            total += own
            tp += own & hit
            both_tp += hit
            if end[k]:
                other_tp, other_total = both_tp - tp, k + 1 - total
                before_tp, before_total = last_both_tp - last_tp, last_both - last_total
                hits, other_hits = tp - last_tp, other_tp - before_tp
                area += (total - last_total - hits) * (tp + last_tp)
                area -= (other_total - before_total - other_hits) * (other_tp + before_tp)
                if curve and hits > 0:
                    precision = tp / total
                    before = last_tp / last_total if last_total > 0 else 1.0
                    ap += hits * precision
                    trapezoid += hits * (precision + before)
                    minpse = max(minpse, tp / max(total, positives))
                if curve and other_hits > 0:
                    precision = other_tp / other_total
                    before = before_tp / before_total if before_total > 0 else 1.0
                    ap -= other_hits * precision
                    trapezoid -= other_hits * (precision + before)
                    other_minpse = max(other_minpse, other_tp / max(other_total, positives))
                last_tp, last_total, last_both_tp, last_both = tp, total, both_tp, k + 1
        out[draw, 0] = area / (2.0 * positives * negatives)
        if curve:
            out[draw, 1] = ap / positives
            out[draw, 2] = trapezoid / (2.0 * positives)
            out[draw, 3] = minpse - other_minpse
