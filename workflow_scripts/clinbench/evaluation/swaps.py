"""Paired randomisation: the rows of a pair are swapped for some patients or documents, and scored again.

Under the hypothesis that it makes no difference which of two rows made the scores of a unit, each swap is as likely
as what was seen. Scores enter by their ranks within a row: two models need not share a scale (Venkatraman and Begg
1996).
"""

from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata

from clinbench.evaluation import multilabel
from clinbench.evaluation.binary import METRICS, sorted_scores
from clinbench.evaluation.kernels import score_swaps

Ratios = Callable[[np.ndarray], dict[str, np.ndarray]]


def draw_swaps(units: int, draws: int, seed: int) -> np.ndarray:
    """Draw (draws, units) bool: each unit is swapped or not, as likely; equal arguments give equal draws."""
    return np.random.default_rng(seed).random((draws, units)) < 0.5


def swap_binary(
    y: np.ndarray, first: np.ndarray, second: np.ndarray, unit: np.ndarray, swaps: np.ndarray
) -> dict[str, np.ndarray]:
    """Score the swaps of a binary outcome.

    Args:
        y: (N,) bool labels.
        first, second: (S, N) scores; all seeds of a unit are swapped together.
        unit: (N,) uint32 unit of each sample.
        swaps: (D, U) bool of ``draw_swaps``.

    Returns:
        Each of ``binary.METRICS`` to (D,) float64: first less second, averaged over seeds; NaN with one class only.
    """
    curves = [_curves(y, *pair, unit, swaps, curve=True) for pair in _pairs(first, second)]
    found = dict(zip(METRICS, np.mean(curves, axis=0).T, strict=False))
    right = [
        unit_tallies(((scores > 0.5) == y)[..., None], unit, swaps.shape[1]) for scores in (first, second)
    ]
    return found | swap_tallies(*right, swaps, lambda sums: {"accuracy": sums[..., 0] / len(y)})


def swap_multilabel(
    y: np.ndarray, first: np.ndarray, second: np.ndarray, unit: np.ndarray, swaps: np.ndarray
) -> dict[str, np.ndarray]:
    """Score the swaps of C outcomes, as ``swap_binary``: ``y`` (N, C), scores (S, N, C); stays are swapped whole.

    Returns:
        Each of ``multilabel.METRICS`` to (D,) float64.
    """
    flat, seeds = np.repeat(unit, y.shape[1]), []
    for a, b in _pairs(first, second):
        micro = _curves(y.ravel(), a.ravel(), b.ravel(), flat, swaps)[:, 0]
        labels = [_curves(*one, unit, swaps)[:, 0] for one in zip(y.T, a.T, b.T, strict=True)]
        # Swaps leave the labels alone, so that the mean of the differences is the difference of the means.
        seeds.append(multilabel.averaged(micro, np.array(labels).T, y.sum(axis=0)))
    return {name: np.mean([seed[name] for seed in seeds], axis=0) for name in multilabel.METRICS}


def swap_tallies(
    first: np.ndarray, second: np.ndarray, swaps: np.ndarray, ratios: Ratios
) -> dict[str, np.ndarray]:
    """Score the swaps of rows that are ratios of sums over units.

    Args:
        first, second: (S, U, K) what each unit adds to each sum, for each seed.
        swaps: (D, U) bool.
        ratios: sums (..., K) to metrics (...).

    Returns:
        Each metric to (D,): first less second, averaged over seeds.
    """
    chosen = swaps.astype(np.float64)
    moved = chosen @ (second - first)  # (S, D, K)
    one, other = (ratios(row.sum(axis=1)[:, None] + sign * moved) for row, sign in ((first, 1), (second, -1)))
    return {name: (one[name] - other[name]).mean(axis=0) for name in one}


def unit_tallies(values: np.ndarray, unit: np.ndarray, units: int) -> np.ndarray:
    """Sum what samples add by unit: (S, N, K) to (S, U, K) float64."""
    found = np.zeros((len(values), units, values.shape[-1]))
    for seed, of_seed in zip(found, values, strict=True):
        np.add.at(seed, unit, of_seed)
    return found


def _pairs(first: np.ndarray, second: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pair the seeds of two rows; a row of one seed meets each of the other's."""
    seeds = max(len(first), len(second))
    return list(zip(*(np.broadcast_to(row, (seeds, *row.shape[1:])) for row in (first, second)), strict=True))


def _curves(
    y: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    unit: np.ndarray,
    swaps: np.ndarray,
    curve: bool = False,
) -> np.ndarray:
    """Rank and sort once, then score all swaps: (D, 4) differences of the first of ``binary.METRICS``."""
    order, ends = sorted_scores(np.concatenate([rankdata(first), rankdata(second)]))
    end = np.zeros(len(order), dtype=bool)
    end[ends] = True
    at = order % len(y)
    out = np.full((len(swaps), 4), np.nan)
    score_swaps(y[at], end, unit[at], order >= len(y), swaps, curve, out)
    return out
