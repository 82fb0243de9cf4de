"""How far probabilities can be taken at their word: Brier score, expected calibration error, reliability curve.

Bins hold equally many scores and are fixed by the test set; the bootstrap draws patients, as for all other metrics.
"""

from typing import NamedTuple

import numpy as np

from clinbench.evaluation.binary import checked
from clinbench.evaluation.bootstrap import checked_units, summarise
from clinbench.evaluation.records import Columns, drawn_means, joined_rows, numbered_draws

METRICS = ("brier", "brier_skill", "ece", "mean_probability")
NULL = "ece_if_calibrated"


class Scored(NamedTuple):
    """One set of scores under D draws: ``metrics`` (D, 4), and of each bin ``predicted`` and ``observed`` (D, B)."""

    metrics: np.ndarray
    predicted: np.ndarray
    observed: np.ndarray


def equal_mass_bins(p: np.ndarray, bins: int) -> np.ndarray:
    """Return the bin of each score, (M,) int from low to high; equal scores share one, so that some may be empty.

    Example:
        >>> equal_mass_bins(np.array([0.9, 0.1, 0.4, 0.4]), 2).tolist()
        [1, 0, 0, 0]
    """
    return np.searchsorted(np.sort(p), p, side="left") * bins // max(len(p), 1)


def calibration_metrics(y: np.ndarray, p: np.ndarray, bins: int = 10) -> dict[str, float]:
    """Score the probabilities of one outcome, or of C outcomes together.

    ``brier`` is the mean of (p − y)² (Brier 1950); ``brier_skill`` is 1 less its ratio to that of the prevalence, each
    outcome's own; ``ece`` is Σ_b |Σ_{i in b} (p_i − y_i)| / M over bins of equally many scores (Nguyen and O'Connor
    2015), all outcomes pooled; ``mean_probability`` is to be read beside the prevalence. The skill is NaN where all
    labels of each outcome are equal, all are NaN without a sample.

    Args:
        y: (N,) or (N, C) labels, 0 or 1.
        p: probabilities of the same shape.

    Raises:
        UserError: as ``binary_metrics``.

    Example:
        >>> round(calibration_metrics([0, 1, 0, 1], [0.2, 0.6, 0.2, 0.6], bins=2)["ece"], 3)
        0.3
    """
    y, p = checked(y, p)
    scored = score_draws(y, p, np.arange(len(y)), np.ones((1, len(y))), bins)
    return dict(zip(METRICS, scored.metrics[0].tolist(), strict=True))


def score_draws(y: np.ndarray, p: np.ndarray, unit: np.ndarray, weights: np.ndarray, bins: int) -> Scored:
    """Score each draw of the units.

    Args:
        y: (N,) or (N, C) bool labels.
        p: probabilities of the same shape.
        unit: (N,) int, the unit of each stay.
        weights: (D, U) how often each draw took each unit.
        bins: how many.
    """
    y, p = y.reshape(len(y), -1), p.reshape(len(p), -1)
    labels = y.shape[1]
    place = equal_mass_bins(p.ravel(), bins)
    cell = np.repeat(unit, labels) * bins + place
    sums = [
        weights @ np.bincount(cell, values.ravel(), weights.shape[1] * bins).reshape(-1, bins)
        for values in (np.ones_like(p), p, y.astype(float))
    ]
    counted, predicted, positive = sums  # (D, B) each
    total = counted.sum(axis=1)
    errors = weights @ np.bincount(unit, ((p - y) ** 2).sum(axis=1), weights.shape[1])
    stays = weights @ np.bincount(unit, minlength=weights.shape[1])
    shares = [weights @ np.bincount(unit, label, weights.shape[1]) / np.maximum(stays, 1) for label in y.T]
    reference = np.mean([share * (1 - share) for share in shares], axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        brier = errors / total
        skill = np.where(reference > 0, 1 - brier / reference, np.nan)
        ece = np.abs(predicted - positive).sum(axis=1) / total
        metrics = np.stack([brier, skill, ece, predicted.sum(axis=1) / total], axis=1)
        return Scored(metrics, predicted / counted, positive / counted)


def null_ece(p: np.ndarray, bins: int, draws: int, seed: int) -> np.ndarray:
    """Return (draws,) the ECE of labels drawn from the scores themselves, averaged over seeds.

    It says how much a perfectly calibrated row of this size would show (consistency resampling, Bröcker and Smith
    2007): the ECE of a finite test set is never zero.

    Args:
        p: (S, N) or (S, N, C) probabilities of S seeds.
        bins: how many.
        draws: how often labels are drawn; all seeds see the same random numbers.
        seed: of them.
    """
    generator = np.random.default_rng(seed)
    flat = p.reshape(len(p), -1)
    places = [equal_mass_bins(scores, bins) for scores in flat]
    out = np.empty(draws)
    for draw in range(draws):
        chance = generator.random(flat.shape[1])
        gaps = (
            np.bincount(place, scores - (chance < scores), bins)
            for place, scores in zip(places, flat, strict=True)
        )
        out[draw] = np.mean([np.abs(gap).sum() / flat.shape[1] for gap in gaps])
    return out


def calibration_rows(
    y: np.ndarray,
    p: np.ndarray,
    groups: np.ndarray,
    *,
    columns: Columns,
    bins: int,
    draws: int = 1000,
    std_draws: int = 100,
    value: str = "sample",
    seed: int = 0,
) -> tuple[list[dict], list[dict]]:
    """Score probabilities with the bootstrap over groups, and measure the reliability curve.

    Args:
        y: (N,) or (N, C) labels, 0 or 1; C outcomes are pooled.
        p: (S, N) or (S, N, C) probabilities of S seeds; values, draws and curves are averaged over them.
        groups: (N,) the patient of each stay, of any type.
        bins: how many bins of equally many scores.
        columns, draws, std_draws, value, seed: as ``records.binary_rows``.

    Returns:
        One row with ``records.KEYS`` per metric of ``METRICS`` and ``NULL``, whose draws are ``null_ece``'s; and for
        each bin that is not empty ``predicted`` and ``observed`` with ``ci_low`` and ``ci_high``, and the fewest
        ``positives`` and ``negatives`` a seed has there.

    Raises:
        UserError: as ``records.binary_rows``.
    """
    y, p = checked(y, p, seeds=True)
    unit, weights = numbered_draws(groups, draws, seed)
    unit = checked_units(unit, len(y), weights).astype(np.int64)
    whole = np.ones((1, weights.shape[1]))
    points = [score_draws(y, scores, unit, whole, bins) for scores in p]
    drawn = [score_draws(y, scores, unit, weights.astype(float), bins) for scores in p]
    metrics = dict(zip(METRICS, np.mean([one.metrics for one in drawn], axis=0).T, strict=True))
    values = dict(zip(METRICS, np.mean([one.metrics[0] for one in points], axis=0), strict=True))
    metrics[NULL] = null_ece(p, bins, draws, seed)
    values = values if value == "sample" else drawn_means(metrics, std_draws)
    values[NULL] = float(metrics[NULL].mean())
    rows = joined_rows(values, metrics, "", {"n": len(y), "seeds": len(p)}, columns, std_draws, {})
    order = (*METRICS[:3], NULL, METRICS[3])
    return sorted(rows, key=lambda row: order.index(row["metric"])), _curve(y, p, unit, points, drawn)


def _curve(
    y: np.ndarray, p: np.ndarray, unit: np.ndarray, points: list[Scored], drawn: list[Scored]
) -> list[dict]:
    """Average the curves over seeds, with the percentile interval of what was observed; Wilson's at 0 and 1.

    Wilson's trials are the patients in a bin: their stays, and the labels of a stay, are not independent.
    """
    bins = points[0].observed.shape[1]
    places = [equal_mass_bins(scores.ravel(), bins) for scores in p]
    patient = np.repeat(unit, y.size // len(y))  # of each cell
    curve = []
    for at in range(bins):
        there = [seed for seed, place in enumerate(places) if (place == at).any()]
        if not there:
            continue
        labels = [y.ravel()[places[seed] == at] for seed in there]
        patients = min(len(np.unique(patient[places[seed] == at])) for seed in there)
        observed = np.mean([points[seed].observed[0, at] for seed in there])
        spread = np.mean([drawn[seed].observed[:, at] for seed in there], axis=0)
        numbers = summarise(float(observed), spread, trials=patients)
        curve.append(
            {
                "predicted": float(np.mean([points[seed].predicted[0, at] for seed in there])),
                "observed": float(observed),
                "ci_low": numbers["ci_low"],
                "ci_high": numbers["ci_high"],
                "positives": int(min(found.sum() for found in labels)),
                "negatives": int(min((~found).sum() for found in labels)),
            }
        )
    return curve
