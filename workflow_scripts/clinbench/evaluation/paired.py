"""Two rows compared on the same test set: difference, interval and p values from draws that both share.

The interval is a bootstrap of two levels, units (patients, documents) and trainings. Units are drawn with
replacement, the same for both rows. Resampling a handful of seeds would say too little: their spread is added as a t
distributed error of their mean, of as many degrees of freedom as there are seeds less one. That spread holds what
units and seeds do together, so that the draws of units are shrunk by it. ``p`` is the paired randomisation by unit,
shrunk as much, with the same error added to each draw. With one seed, both are of the models that were trained, not
of the methods that trained them.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from clinbench.errors import refuse

ROUNDING = 1e-12  # scores closer than this are equal
ERRORS = ("se", "se_units", "se_seeds", "df")  # standard error of a difference, its parts, df of the second

Draws = Mapping[str, np.ndarray]


class Scored(NamedTuple):
    """One row's metrics.

    Attributes:
        points: each metric to (S,) float64 on the test set, one a replicate: a seed, or a draw of the training stays.
        drawn: each metric to (S, D) float64 of each draw of units; NaN where undefined.
    """

    points: dict[str, np.ndarray]
    drawn: dict[str, np.ndarray]


class Variances(NamedTuple):
    """Parts of the variance of a mean over replicates: of the units alone, and of the replicates with all they do."""

    units: float
    seeds: float


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
        (first less second, mean over the replicates), ``se`` and its parts ``se_units`` and ``se_seeds``, ``df`` (of
        the latter, replicates less one), ``interval`` (2.5 and 97.5 %), ``p``, ``p_bootstrap``, ``p_delong``,
        ``n_valid`` and ``n_swaps`` (draws and swaps in which both are defined) and ``note``; what is undefined is
        None, and ``note`` says why.

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
            known = {name: rows[name].points[metric] for name in (first, second)}
            note = _note(metric, known, drawn, null[metric])
            found.append({"first": first, "second": second, "metric": metric, **numbers, "note": note})
    return Compared(found, {name: _values(row.points) for name, row in rows.items()})


def variances(points: np.ndarray, drawn: np.ndarray) -> Variances:
    """Part the variance of a mean over S replicates: two-way random effects, units by replicates.

    The variance over the replicates counts whole, with the interaction of units and replicates in it, and the
    interaction is taken off the units' part: that leaves the t distribution exact. Taken off the replicates' part it
    leaves a difference of two uncertain numbers that is 0 too often, so that 7 % of intervals miss at a nominal 5 %.
    What is left to the units is the covariance of two replicates over the draws, not below 0.

    Args:
        points: (S,) differences.
        drawn: (S, D) the same of each draw, all defined.
    """
    count = len(points)
    together = float(drawn.mean(axis=0).var(ddof=1)) if drawn.shape[1] > 1 else 0.0
    if count < 2:
        return Variances(together, 0.0)
    alone = float(drawn.var(axis=1, ddof=1).mean()) if drawn.shape[1] > 1 else 0.0
    units = max(0.0, (count * together - alone) / (count - 1))
    return Variances(min(units, together), float(points.var(ddof=1)) / count)


def _numbers(points: np.ndarray, drawn: np.ndarray, null: np.ndarray, seed: int) -> dict:
    """Summarise the (S,) differences of a pair, their (S, D) draws and (D,) swaps; None where undefined."""
    drawn, null = drawn[:, ~np.isnan(drawn).any(axis=0)], null[~np.isnan(null)]
    found = dict.fromkeys(("difference", *ERRORS, "interval", "p", "p_bootstrap", "p_delong"))
    found |= {"n_valid": drawn.shape[1], "n_swaps": len(null)}
    if np.isnan(points).any():
        return found
    difference, mean, parts = float(points.mean()), drawn.mean(axis=0), variances(points, drawn)
    error = np.sqrt(parts.seeds) * _standard_errors(len(points), max(len(mean), len(null)), seed)
    found["difference"] = difference
    shrink = 1.0
    if len(mean) > 1:
        together = float(mean.var(ddof=1))
        shrink = np.sqrt(parts.units / together) if together else 1.0
        centre = mean.mean()
        shown = np.clip(
            centre + shrink * (mean - centre) + error[: len(mean)], -1.0, 1.0
        )  # of two from 0 to 1
        errors = map(float, (np.sqrt(sum(parts)), *np.sqrt(parts)))
        found |= dict(zip(ERRORS, (*errors, len(points) - 1), strict=True))
        found["interval"] = [float(end) for end in np.percentile(shown, [2.5, 97.5])]
        tail = min((shown <= ROUNDING).sum(), (shown >= -ROUNDING).sum())
        found["p_bootstrap"] = float(min(1.0, 2 * (1 + tail) / (1 + len(shown))))
    if len(null):
        extreme = np.abs(shrink * null + error[: len(null)]) >= abs(difference) - ROUNDING
        found["p"] = float((1 + extreme.sum()) / (1 + len(null)))
    return found


def _standard_errors(replicates: int, draws: int, seed: int) -> np.ndarray:
    """Return (draws,) t distributed errors of a mean of replicates, evenly spread and in random order; 0 for one."""
    if replicates < 2:
        return np.zeros(draws)
    evenly = (np.arange(draws) + 0.5) / draws
    return np.random.default_rng((seed, replicates)).permutation(t.ppf(evenly, replicates - 1))


def _note(metric: str, points: Mapping[str, np.ndarray], drawn: np.ndarray, null: np.ndarray) -> str | None:
    """Say what is undefined, or None."""
    undefined = [name for name, values in points.items() if np.isnan(values).any()]
    if undefined:
        return f"{metric} is undefined on this test set for {' and '.join(undefined)}"
    lost = {"resamples": np.isnan(drawn).any(axis=0), "swaps": np.isnan(null)}
    told = [f"{where.sum()} of {len(where)} {what}" for what, where in lost.items() if where.any()]
    return f"undefined in {' and '.join(told)}, which are left out" if told else None


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
