"""Bootstrap over patients, stays or documents: the same draws for all seeds, models and metrics.

The paper's standard deviation comes from 100 resamples (ddof 1), the percentile
interval from all draws; 1,000 by default.
"""

import numpy as np

from clinbench.errors import UserError
from clinbench.evaluation import multilabel
from clinbench.evaluation.binary import METRICS, checked, sorted_scores
from clinbench.evaluation.kernels import score_draws

NORMAL_975 = 1.959963984540054


def draw_weights(units: int, draws: int, seed: int) -> np.ndarray:
    """Draw ``units`` units with replacement, ``draws`` times.

    The first draws do not depend on how many follow, and equal arguments give equal draws: two models
    scored with the same arguments are compared pairwise.

    Returns:
        (draws, units) int32: how often each unit was drawn; each row sums to ``units``.

    Raises:
        UserError: there is no unit.

    Example:
        >>> draw_weights(4, 2, seed=0).tolist()
        [[0, 1, 2, 1], [3, 1, 0, 0]]
    """
    if units < 1:
        raise UserError(
            "There is nothing to resample: the test set is empty. Check the split and the filters."
        )
    generator = np.random.default_rng(seed)
    drawn = (generator.integers(units, size=units) for _ in range(draws))
    return np.array([np.bincount(sample, minlength=units) for sample in drawn], dtype=np.int32)


def bootstrap_binary(
    y: np.ndarray, p: np.ndarray, groups: np.ndarray, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """Score each draw of a binary outcome, averaged over the seeds.

    Args:
        y: (N,) labels, 0 or 1.
        p: (S, N) scores of S seeds.
        groups: (N,) int, the unit (patient) of each sample.
        weights: (D, U) multiplicities of ``draw_weights``.

    Returns:
        Each of ``binary.METRICS`` to (D,) float64; NaN where a draw has one class only.

    Raises:
        UserError: as ``binary_metrics``, or a group is no column of ``weights``.
    """
    y, p = checked(y, p, seeds=True)
    unit = checked_units(groups, len(y), weights)
    scored = np.mean([score_seed(y, scores, unit, weights, curve=True) for scores in p], axis=0)
    return dict(zip(METRICS, scored.T, strict=False))


def bootstrap_multilabel(
    y: np.ndarray, p: np.ndarray, groups: np.ndarray, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """Score each draw of C outcomes, averaged over the seeds; stays are drawn whole, with all their labels.

    Args:
        y: (N, C) labels, 0 or 1.
        p: (S, N, C) scores of S seeds.
        groups: (N,) int, the unit (patient) of each stay.
        weights: (D, U) multiplicities of ``draw_weights``.

    Returns:
        Each of ``multilabel.METRICS`` to (D,) float64; labels undefined in a draw are left out of that draw.

    Raises:
        UserError: as ``bootstrap_binary``.
    """
    y, p = checked(y, p, seeds=True)
    unit = checked_units(groups, len(y), weights)
    seeds = [score_labels(y, scores, unit, weights) for scores in p]
    return {name: np.mean([seed[name] for seed in seeds], axis=0) for name in multilabel.METRICS}


def summarise(
    point: float, draws: np.ndarray, std_draws: int = 100, trials: int | None = None
) -> dict[str, float | int | None]:
    """Summarise the draws of one metric; what is undefined is None.

    A percentile interval collapses to a point where a rate is exactly 0 or 1, since all draws agree; there,
    if ``trials`` is given, it is Wilson's. Undefined draws are left out, and counted by ``n_valid``.

    Args:
        point: the metric on the whole test set.
        draws: (D,) the metric of each draw, NaN where undefined.
        std_draws: the standard deviation is of this many first draws (ddof 1).
        trials: for a mean of rates such as accuracy, the number of independent units behind it.

    Returns:
        ``value``, ``std``, ``ci_low``, ``ci_high`` (2.5 and 97.5 %), ``n_valid``.

    Example:
        >>> summarise(0.5, np.array([0.4, 0.6, np.nan]))["n_valid"]
        2
        >>> round(summarise(1.0, np.ones(1000), trials=3)["ci_low"], 3)
        0.439
    """
    valid = draws[~np.isnan(draws)]
    early = draws[:std_draws][~np.isnan(draws[:std_draws])]
    low, high = np.percentile(valid, [2.5, 97.5]) if valid.size else (np.nan, np.nan)
    if trials and point in (0, 1):
        low, high = wilson(point, trials)
    std = early.std(ddof=1) if early.size > 1 else np.nan
    numbers = {"value": point, "std": std, "ci_low": low, "ci_high": high}
    defined = {name: None if np.isnan(number) else float(number) for name, number in numbers.items()}
    return defined | {"n_valid": int(valid.size)}


def wilson(rate: float, trials: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a rate observed in ``trials`` trials (Wilson 1927).

    Example:
        >>> tuple(round(end, 3) for end in wilson(0.0, 3))
        (0.0, 0.561)
    """
    spread = NORMAL_975**2 / trials
    middle = rate + spread / 2
    half = np.sqrt(spread * (rate * (1 - rate) + spread / 4))
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    return max(0.0, float(low)), min(1.0, float(high))


def checked_units(groups: np.ndarray, samples: int, weights: np.ndarray) -> np.ndarray:
    """Return the groups as uint32, safe to index ``weights`` with."""
    groups, units = np.asarray(groups), weights.shape[1]
    if groups.shape != (samples,) or (samples and not 0 <= groups.min() <= groups.max() < units):
        raise UserError(
            f"Groups of shape {groups.shape} must give each of {samples} samples a unit, 0 to {units - 1}."
        )
    return groups.astype(np.uint32)


def score_seed(
    y: np.ndarray, p: np.ndarray, unit: np.ndarray, weights: np.ndarray, curve: bool = False
) -> np.ndarray:
    """Sort once, then score all draws of one seed: (D, 6), ``binary.METRICS`` and the number of positives.

    Args:
        y: (N,) bool labels.
        p: (N,) scores.
        unit: (N,) of ``checked_units``.
        weights: (D, U) multiplicities of ``draw_weights``.
        curve: whether the metrics of the precision-recall curve are wanted.
    """
    order, ends = sorted_scores(p)
    end = np.zeros(len(y), dtype=bool)
    end[ends] = True
    out = np.full((len(weights), len(METRICS) + 1), np.nan)
    score_draws(y[order], ((p > 0.5) == y)[order], end, unit[order], weights, curve, out)
    return out


def score_labels(
    y: np.ndarray, p: np.ndarray, unit: np.ndarray, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """Score all draws of C outcomes of one seed, as ``score_seed``: each of ``multilabel.METRICS`` to (D,)."""
    micro = score_seed(y.ravel(), p.ravel(), np.repeat(unit, y.shape[1]), weights)
    labels = np.array([score_seed(*pair, unit, weights) for pair in zip(y.T, p.T, strict=True)])
    return multilabel.averaged(micro[:, 0], labels[..., 0].T, labels[..., 5].T)
