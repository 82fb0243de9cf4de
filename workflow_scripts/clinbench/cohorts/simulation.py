"""A made-up ICU ward: hourly severity of each stay and the deaths it causes."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

HOURS = 48
SLOPE = 2.4  # log-odds of death per standard deviation of late severity; sets the Bayes AUROC


@dataclass(frozen=True)
class Ward:
    """N simulated stays.

    Attributes:
        patient: (N,) int64, number of the patient, ascending.
        episode: (N,) int64, 1 for a patient's first stay, 2 for the second.
        severity: (N, 48) float64, hourly, about standard normal over all stays.
        risk: (N,) float64, true probability of death given the severity.
        died: (N,) bool, drawn from ``risk``.
    """

    patient: np.ndarray
    episode: np.ndarray
    severity: np.ndarray
    risk: np.ndarray
    died: np.ndarray


def simulate_ward(stays: int, mortality: float, two_stays: float, rng: np.random.Generator) -> Ward:
    """Draw severities and deaths.

    Severity is a patient effect plus a stay effect plus a trend plus a random walk over 48 hours. The
    log-odds of death are linear in its mean over the last 12 hours; their intercept makes the mean risk
    equal to ``mortality``.

    Args:
        stays: N.
        mortality: share of stays that end in death, strictly between 0 and 1.
        two_stays: share of patients who have a second stay, 0 to 1.
        rng: source of all randomness.
    """
    patients = max(1, round(stays / (1 + two_stays)))
    returning = rng.permutation(patients)[: stays - patients]
    patient = np.sort(np.concatenate([np.arange(patients), returning]))
    walk = np.cumsum(rng.normal(0, 0.08, (stays, HOURS)), axis=1)
    trend = rng.normal(0, 0.4, (stays, 1)) * np.linspace(-1, 1, HOURS)
    level = 0.6 * rng.normal(size=patients)[patient] + 0.6 * rng.normal(size=stays)
    severity = level[:, None] + trend + walk
    late = severity[:, -12:].mean(axis=1)
    score = SLOPE * (late - late.mean()) / late.std()
    intercept = brentq(lambda shift: expit(score + shift).mean() - mortality, -60, 60)
    risk = expit(score + intercept)
    episode = 1 + (np.diff(patient, prepend=-1) == 0)
    return Ward(patient, episode, severity, risk, rng.random(stays) < risk)
