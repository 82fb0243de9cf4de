"""A made-up ICU ward: people, lengths of stay, hourly severity, and the deaths it causes."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import lognorm, zscore

HORIZON = 48  # hours after which death is predicted
SLOPE = 2.4  # log-odds of death per standard deviation of its score; sets the Bayes AUROC
AGE_WEIGHT = 0.3  # of age beside late severity, both in standard deviations
PERSISTENCE = 0.99  # of the hourly severity's deviation from its level
SHORTEST = 0.5  # hours
# Lengths of the benchmark's stays: mean 87 h, standard deviation 124 h (risk.md 1.4).
LENGTHS = lognorm(s=np.log1p((124 / 87) ** 2) ** 0.5, scale=87 / (1 + (124 / 87) ** 2) ** 0.5)
# What makes patients differ beside severity: trends of channels, and one of consciousness.
TRAITS = (
    *("Diastolic blood pressure", "Fraction inspired oxygen", "Glucose", "Heart Rate", "Height"),
    *("Oxygen saturation", "Respiratory rate", "Systolic blood pressure", "Temperature", "Weight", "pH"),
    "coma",
)
ETHNICITIES = (0.13, 0.03, 0.09, 0.04, 0.71)  # shares of the codes 0 to 4 of episode files
FEMALE = 0.44


@dataclass(frozen=True)
class Ward:
    """N simulated stays of ΣT hours, the last one of a stay begun but not full.

    Attributes:
        patient: (N,) int64, number of the patient, ascending.
        episode: (N,) int64, 1 for a patient's first stay, 2 for the second.
        hours: (N,) float64, length of stay.
        offsets: (N + 1,) int64, hours of stay i are ``offsets[i]`` to ``offsets[i + 1]``.
        severity: (ΣT,) float64, hourly, about standard normal over all stays.
        traits: standard normal deviations of each patient, (N,) float64 for each of ``TRAITS``.
        age: (N,) float64, years.
        female: (N,) bool.
        ethnicity: (N,) int64, 0 to 4 as in episode files.
        risk: (N,) float64, true probability of death given severity and age.
        died: (N,) bool, drawn from ``risk``.
    """

    patient: np.ndarray
    episode: np.ndarray
    hours: np.ndarray
    offsets: np.ndarray
    severity: np.ndarray
    traits: dict[str, np.ndarray]
    age: np.ndarray
    female: np.ndarray
    ethnicity: np.ndarray
    risk: np.ndarray
    died: np.ndarray

    @property
    def stay(self) -> np.ndarray:
        """Return the stay of each hour, (ΣT,) int64."""
        return np.repeat(np.arange(len(self.hours)), np.diff(self.offsets))

    def mean_severity(self, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Return the mean severity of hours ``first`` to ``last`` (exclusive) of each stay, (N,)."""
        return _means(self.severity, self.offsets, first, last)


def simulate_ward(
    stays: int, mortality: float, two_stays: float, longest: float, rng: np.random.Generator
) -> Ward:
    """Draw people, severities and deaths.

    Severity is a patient effect plus a stay effect plus a trend over the first 48 hours plus a slow random
    movement. The log-odds of death are linear in its mean over the last 12 hours before hour 48, or before
    the end of a shorter stay, and in age; their intercept makes the mean risk of the stays of at least
    48 hours equal to ``mortality``.

    Args:
        stays: how many stays last at least 48 hours; shorter ones come on top in their natural share.
        mortality: share of stays that end in death, strictly between 0 and 1.
        two_stays: share of patients who have a second stay, 0 to 1.
        longest: hours above which no stay lasts, more than 48.
        rng: source of all randomness.
    """
    hours = _lengths(stays, longest, rng)
    count = len(hours)
    patients = max(1, round(count / (1 + two_stays)))
    returning = rng.permutation(patients)[: count - patients]
    patient = np.sort(np.concatenate([np.arange(patients), returning]))
    offsets = np.concatenate([[0], np.cumsum(np.ceil(hours).astype(np.int64))])
    level = 0.6 * rng.normal(size=patients)[patient] + 0.6 * rng.normal(size=count)
    severity = _severity(level, rng.normal(0, 0.4, count), offsets, rng)
    age = np.clip(rng.normal(64, 17, patients), 18, 97)[patient]
    end = np.minimum(np.diff(offsets), HORIZON)
    late = _means(severity, offsets, np.maximum(end - 12, 0), end)
    risk = calibrated(late / late.std() + AGE_WEIGHT * zscore(age), mortality, SLOPE, hours >= HORIZON)
    return Ward(
        patient=patient,
        episode=1 + (np.diff(patient, prepend=-1) == 0),
        hours=hours,
        offsets=offsets,
        severity=severity,
        traits={name: rng.normal(size=patients)[patient] for name in TRAITS},
        age=age,
        female=(rng.random(patients) < FEMALE)[patient],
        ethnicity=rng.choice(len(ETHNICITIES), patients, p=ETHNICITIES)[patient],
        risk=risk,
        died=rng.random(count) < risk,
    )


def calibrated(
    score: np.ndarray, share: float, slope: float, among: np.ndarray | slice = slice(None)
) -> np.ndarray:
    """Return probabilities whose log-odds are linear in a score, (N,).

    Args:
        score: (N,), of any scale.
        share: mean probability of the stays in ``among``.
        slope: log-odds per standard deviation of the score.
        among: which stays set mean and scale.
    """
    scaled = slope * (score - score[among].mean()) / score[among].std()
    intercept = brentq(lambda shift: expit(scaled[among] + shift).mean() - share, -60, 60)
    return expit(scaled + intercept)


def _lengths(stays: int, longest: float, rng: np.random.Generator) -> np.ndarray:
    """Draw hours of stays in random order, ``stays`` of them of at least 48 hours; to 6 decimals."""
    low, middle, high = LENGTHS.cdf([SHORTEST, HORIZON, longest])
    short = round(stays * (middle - low) / (high - middle))
    ranks = np.concatenate([rng.uniform(middle, high, stays), rng.uniform(low, middle, short)])
    return LENGTHS.ppf(rng.permutation(ranks)).round(6)


def _severity(
    level: np.ndarray, trend: np.ndarray, offsets: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Walk hour by hour through all stays that still last; (ΣT,)."""
    severity = rng.normal(0, 0.08, offsets[-1])
    lengths = np.diff(offsets)
    for hour in range(1, lengths.max()):
        there = offsets[:-1][lengths > hour] + hour
        severity[there] += PERSISTENCE * severity[there - 1]
    stay = np.repeat(np.arange(len(level)), lengths)
    hour = np.arange(offsets[-1]) - offsets[stay]
    return severity + level[stay] + trend[stay] * (2 * np.minimum(hour / (HORIZON - 1), 1) - 1)


def _means(values: np.ndarray, offsets: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    sums = np.concatenate([[0], np.cumsum(values)])
    return (sums[offsets[:-1] + last] - sums[offsets[:-1] + first]) / (last - first)
