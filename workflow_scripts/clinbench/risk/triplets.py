"""Where the losses are triplet losses: exact terms beside their hinge and their linear approximation.

For an anchor i with one positive p and one negative n, the SCR's term is softplus(−m/τ) of the margin
m = s_ip − s_in. Far from m = 0 it is the hinge max(−m, 0)/τ, a triplet loss without margin; near 0 it is
log 2 − m/(2τ), the active side of a triplet loss with margin. With unit vectors s = 1 − ‖z_i − z_j‖²/2,
so in squared distances D the two are max(D_p − D_n, 0)/(2τ) and (D_p − D_n + 4τ log 2)/(4τ). In CSCE and
CBCE the sample is the anchor, and the anchors of its own and of the other label are positive and
negative, with logits in place of s/τ.
"""

from typing import NamedTuple

import numpy as np

from clinbench.errors import UserError

LOG2 = np.log(2)


class Terms(NamedTuple):
    """One loss term over a grid of margins; all (M,) float64."""

    margin: np.ndarray
    exact: np.ndarray
    hinge: np.ndarray
    linear: np.ndarray


class Fit(NamedTuple):
    """How well an approximation does on a grid; regions are (first, last) margins of each run."""

    largest_error: float
    at: float  # margin of the largest error
    absolute: list[tuple[float, float]]  # where |error| ≤ tolerance
    relative: list[tuple[float, float]]  # where |error| ≤ tolerance · exact


def scr_terms(margin: np.ndarray, temperature: float = 0.1) -> Terms:
    """SCR of an anchor with one positive and one negative; ``margin`` s_ip − s_in in [−2, 2].

    Raises:
        UserError: a margin beyond that of two cosines, or τ ≤ 0.
    """
    margin = np.asarray(margin, dtype=np.float64)
    if not (np.abs(margin) <= 2).all():
        raise UserError("margin: a difference of two cosines lies between −2 and 2.")
    if not 0 < temperature < np.inf:
        raise UserError(f"temperature: a finite number > 0 expected, got {temperature!r}.")
    x = margin / temperature
    return Terms(margin, np.logaddexp(0, -x), np.maximum(-x, 0), LOG2 - x / 2)


def csce_terms(margin: np.ndarray) -> Terms:
    """CSCE of a sample; ``margin`` is the logit of its own anchor minus that of the other, a − d of a positive."""
    margin = np.asarray(margin, dtype=np.float64)
    return Terms(margin, np.logaddexp(0, -margin), np.maximum(-margin, 0), LOG2 - margin / 2)


def cbce_terms(margin: np.ndarray, middle: float = 0.0) -> Terms:
    """CBCE of a sample with logits ``middle ± margin/2``, its own anchor's first.

    The loss softplus(−a) + softplus(d) knows more than the margin a − d: both approximations are of the
    sum, the hinge's two parts follow ``middle``, the linear one does not.
    """
    margin = np.asarray(margin, dtype=np.float64)
    own, other = middle + margin / 2, middle - margin / 2
    exact = np.logaddexp(0, -own) + np.logaddexp(0, other)
    return Terms(margin, exact, np.maximum(-own, 0) + np.maximum(other, 0), 2 * LOG2 - margin / 2)


def fits(terms: Terms, tolerance: float = 0.05) -> dict[str, Fit]:
    """Measure ``hinge`` and ``linear`` against ``exact`` on the grid of ``terms``, sorted by margin."""
    found = {}
    for name in ("hinge", "linear"):
        error = np.abs(getattr(terms, name) - terms.exact)
        worst = int(error.argmax())
        found[name] = Fit(
            float(error[worst]),
            float(terms.margin[worst]),
            _runs(terms.margin, error <= tolerance),
            _runs(terms.margin, error <= tolerance * terms.exact),
        )
    return found


def _runs(margin: np.ndarray, inside: np.ndarray) -> list[tuple[float, float]]:
    """Return first and last margin of each run of true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]))).reshape(-1, 2)
    return [(float(margin[start]), float(margin[end - 1])) for start, end in edges]
