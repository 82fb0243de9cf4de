"""Hourly values of PhysioNet 2012 stays to 81 standardised features."""

import numpy as np

from clinbench.cohorts.discretiser import forward_fill
from clinbench.cohorts.normaliser import FLOOR
from clinbench.cohorts.physionet_parameters import CODED, SERIES, STATICS
from clinbench.cohorts.physionet_records import HOURS

ICU_TYPES = CODED["ICUType"]
MEASURED = tuple(name for name in STATICS if name != "ICUType")  # standardised like the series
FEATURES = [
    *SERIES,
    *(f"mask->{name}" for name in SERIES),
    *(f"ICUType->{number}" for number in ICU_TYPES),
    *MEASURED,
]


def build_features(
    series: np.ndarray, statics: np.ndarray, train: np.ndarray, clip: float | None
) -> tuple[np.ndarray, dict]:
    """Standardise with what was observed in training stays, carry forward, append masks and statics.

    Values not observed yet, and unknown statics, are 0, the training mean; an unknown ICU type is four
    zeros. A parameter that training never observed stays 0 everywhere but in its mask.

    Args:
        series: (48 N, 37) hourly values, NaN where not observed.
        statics: (N, 4) in the order of ``STATICS``, NaN where unknown.
        train: (N,) bool, the stays to measure mean and standard deviation on.
        clip: limit of standardised values in standard deviations, or None.

    Returns:
        (48 N, 81) float32, columns ``FEATURES``; and a JSON-able record of what was measured.
    """
    icu_type, measured = statics[:, 0], statics[:, 1:]
    hours = np.repeat(train, HOURS)
    standard, series_state = _standardise(series, hours, clip)
    known, static_state = _standardise(measured, train, clip)
    first = HOURS * np.arange(len(train))
    values = np.empty((len(series), len(FEATURES)), dtype=np.float32)
    values[:, : len(SERIES)] = forward_fill(standard, first, np.zeros(len(SERIES)))
    values[:, len(SERIES) : 2 * len(SERIES)] = ~np.isnan(series)
    constant = np.concatenate([icu_type[:, None] == ICU_TYPES, np.nan_to_num(known)], axis=1)
    values[:, 2 * len(SERIES) :] = np.repeat(constant, HOURS, axis=0)
    shares = (~np.isnan(series)).mean(axis=0).round(4).tolist()
    state = {
        "normaliser": {
            "features": [*SERIES, *MEASURED],
            **{name: series_state[name] + static_state[name] for name in ("means", "stds", "observed")},
        },
        "values_clipped": series_state["clipped"] + static_state["clipped"],
        "observed_share_of_hours": dict(zip(SERIES, shares, strict=True)),
    }
    return values, state


def _standardise(values: np.ndarray, train: np.ndarray, clip: float | None) -> tuple[np.ndarray, dict]:
    """Return (values − mean) / std of each column's observed training rows, NaN staying NaN.

    A column with fewer than two training values or without spread keeps a standard deviation of 1; one
    without any training value becomes NaN as a whole.
    """
    out = np.full(values.shape, np.nan)
    state: dict = {"means": [], "stds": [], "observed": [], "clipped": 0}
    for column in range(values.shape[1]):
        seen = values[train, column]
        seen = seen[~np.isnan(seen)]
        std = float(seen.std(ddof=1)) if len(seen) > 1 else 1.0
        std = std if std > FLOOR else 1.0
        if len(seen):
            out[:, column] = (values[:, column] - seen.mean()) / std
        state["means"].append(float(seen.mean()) if len(seen) else None)
        state["stds"].append(std)
        state["observed"].append(len(seen))
    if clip is not None:
        state["clipped"] = int((np.abs(out) > clip).sum())
        np.clip(out, -clip, clip, out=out)
    return out, state
