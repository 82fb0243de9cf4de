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
