"""Two rows compared on the same test set: difference, interval and p values from draws that both share.

The interval is a bootstrap of two levels, units (patients, documents) and trainings. Units are drawn with
replacement, the same for both rows. Resampling a handful of seeds would say too little: their spread is added as a t
distributed error of their mean, of as many degrees of freedom as there are seeds less one. ``p`` is the paired
randomisation by unit, with the same error added to each draw. With one seed, both are of the models that were
trained, not of the methods that trained them.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from clinbench.errors import refuse

ROUNDING = 1e-12  # scores closer than this are equal
ENOUGH = 5  # replicates from which on their variance is split into parts; of fewer, all counts as theirs

Draws = Mapping[str, np.ndarray]


class Scored(NamedTuple):
    """One row's metrics.

    Attributes:
        points: each metric to (S,) float64 on the test set, one a replicate: a seed, or a draw of the training stays.
        drawn: each metric to (S, D) float64 of each draw of units; NaN where undefined.
    """

    points: dict[str, np.ndarray]
    drawn: dict[str, np.ndarray]


class Compared(NamedTuple):
    """What is known of the rows of one block.

    Attributes:
        pairs: one dict a pair and metric, see ``compare``.
        values: row to metric to ``mean`` and ``sd`` over the replicates; ``sd`` is None of one.
    """

    pairs: list[dict]
    values: dict[str, dict[str, dict[str, float | None]]]


def compare(
    rows: Mapping[str, Scored],
    swapped: Callable[[str, str], Draws],
    delong: Callable[[str, str], Mapping[str, float]] = lambda first, second: {},
    seed: int = 0,
) -> Compared:
    """Compare each row with each later one in each metric.

    Args:
        rows: name to what it scored; each has the same draws, and as many replicates or one.
        swapped: differences of two rows in each metric after random swaps, see ``swaps``.
        delong: p value of two rows by metric, where there is one; NaN where undefined.
        seed: of the error of the seeds.

    Returns:
        Of each row its values, and one dict a pair and metric with ``first``, ``second``, ``metric``, ``difference``
        (first less second, mean over the replicates), ``se``, ``interval`` (2.5 and 97.5 %), ``p``, ``p_bootstrap``,
        ``p_delong``, ``n_valid`` (draws in which both are defined) and ``note``; what is undefined is None, and
        ``note`` says why.

    Raises:
        UserError: rows differ in their number of replicates, and both have more than one.
    """
    replicates = {name: len(next(iter(row.points.values()))) for name, row in rows.items()}
    several = {count for count in replicates.values() if count > 1}
    refuse(
        [f"{name}: {count}" for name, count in replicates.items()] if len(several) > 1 else [],
        "Rows are compared over the same seeds, or one has a single one. These have different numbers:",
    )
    found = []
    for first, second in combinations(rows, 2):
        null, checks = swapped(first, second), delong(first, second)
        for metric in rows[first].points:
            points, drawn = (
                getattr(rows[first], kind)[metric] - getattr(rows[second], kind)[metric]
                for kind in ("points", "drawn")
            )
            numbers = _numbers(points, drawn, null[metric], seed)
            numbers["p_delong"] = _defined(checks.get(metric, np.nan))
            note = _note(metric, {name: rows[name].points[metric] for name in (first, second)}, drawn)
            found.append({"first": first, "second": second, "metric": metric, **numbers, "note": note})
    return Compared(found, {name: _values(row.points) for name, row in rows.items()})


def seed_variance(points: np.ndarray, drawn: np.ndarray) -> float:
    """Estimate the variance of a mean over S replicates that does not come from the units.

    Two-way random effects: the variance over the replicates, less what the interaction of units and replicates gives,
    which the drawn units show; not below 0. Of fewer than ``ENOUGH`` replicates nothing is taken off: the parts
    cannot be told apart, and too small an error would make differences of what is none.

    Args:
        points: (S,) differences.
        drawn: (S, D) the same of each draw, all defined.
    """
    if len(points) < 2:
        return 0.0
    if len(points) < ENOUGH or drawn.shape[1] < 2:
        return float(points.var(ddof=1)) / len(points)
    single, mean = drawn.var(axis=1, ddof=1).mean(), drawn.mean(axis=0).var(ddof=1)
    interaction = (single - mean) * len(points) / (len(points) - 1)
    return max(0.0, float(points.var(ddof=1) - interaction)) / len(points)


def _numbers(points: np.ndarray, drawn: np.ndarray, null: np.ndarray, seed: int) -> dict:
    """Summarise the (S,) differences of a pair, their (S, D) draws and (D,) swaps; None where undefined."""
    drawn = drawn[:, ~np.isnan(drawn).any(axis=0)]
    found = dict.fromkeys(("difference", "se", "interval", "p", "p_bootstrap", "p_delong"))
    found["n_valid"] = drawn.shape[1]
    if np.isnan(points).any():
        return found
    difference, mean, of_seeds = float(points.mean()), drawn.mean(axis=0), seed_variance(points, drawn)
    error = np.sqrt(of_seeds) * _standard_errors(len(points), max(len(mean), len(null)), seed)
    found["difference"] = difference
    if len(mean) > 1:
        shown = np.clip(mean + error[: len(mean)], -1.0, 1.0)  # of two numbers from 0 to 1
        found["se"] = float(np.sqrt(mean.var(ddof=1) + of_seeds))
        found["interval"] = [float(end) for end in np.percentile(shown, [2.5, 97.5])]
        tail = min((shown <= ROUNDING).sum(), (shown >= -ROUNDING).sum())
        found["p_bootstrap"] = float(min(1.0, 2 * (1 + tail) / (1 + len(shown))))
    extreme = np.abs(null + error[: len(null)]) >= abs(difference) - ROUNDING
    found["p"] = float((1 + extreme.sum()) / (1 + len(null)))
    return found


def _standard_errors(replicates: int, draws: int, seed: int) -> np.ndarray:
    """Return (draws,) t distributed errors of a mean of replicates, evenly spread and in random order; 0 for one."""
    if replicates < 2:
        return np.zeros(draws)
    evenly = (np.arange(draws) + 0.5) / draws
    return np.random.default_rng((seed, replicates)).permutation(t.ppf(evenly, replicates - 1))


def _note(metric: str, points: Mapping[str, np.ndarray], drawn: np.ndarray) -> str | None:
    """Say what is undefined, or None."""
    undefined = [name for name, values in points.items() if np.isnan(values).any()]
    if undefined:
        return f"{metric} is undefined on this test set for {' and '.join(undefined)}"
    lost = int(np.isnan(drawn).any(axis=0).sum())
    return f"undefined in {lost} of {drawn.shape[1]} resamples, which are left out" if lost else None


def _values(points: Mapping[str, np.ndarray]) -> dict[str, dict[str, float | None]]:
    """Return mean and standard deviation of each metric over the replicates; None where undefined."""
    return {
        metric: {
            "mean": _defined(values.mean()),
            "sd": _defined(values.std(ddof=1)) if len(values) > 1 else None,
        }
        for metric, values in points.items()
    }


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
