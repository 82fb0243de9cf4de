"""Hourly values of PhysioNet 2012 stays to 81 standardised features, their descriptors to 10 static ones."""

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
GENDERS = {"female": 0, "male": 1}
ADMISSION = ("Age", "Height", "Weight")  # years, cm, kg
STATIC_FEATURES = [
    *(f"ICUType->{number}" for number in ICU_TYPES),
    *(f"Gender->{text}" for text in (*GENDERS, "missing")),
    *ADMISSION,
]


def measure(series: np.ndarray, statics: np.ndarray, weight: np.ndarray, train: np.ndarray) -> dict:
    """Return mean and sample standard deviation of what was observed in training stays.

    Args:
        series: (48 N, 37) hourly values, NaN where not observed.
        statics: (N, 4) in the order of ``STATICS``, NaN where unknown.
        weight: (N,) at admission, NaN where unknown.
        train: (N,) bool, the stays to measure on.

    Returns:
        ``features`` with ``means`` (None where never observed), ``stds`` and counts ``observed``; and the same
        of the weight at admission, ``admission_weight``.
    """
    parts = [_moments(series[np.repeat(train, HOURS)]), _moments(statics[train, 1:])]
    joined = {name: parts[0][name] + parts[1][name] for name in ("means", "stds", "observed")}
    return {"features": [*SERIES, *MEASURED], **joined, "admission_weight": _moments(weight[train, None])}


def build_features(
    series: np.ndarray, statics: np.ndarray, weight: np.ndarray, state: dict, clip: float | None
) -> tuple[np.ndarray, np.ndarray, dict]:
    """Standardise, carry forward, append masks and statics.

    Values not observed yet, and unknown statics, are 0, the training mean; an unknown ICU type is four
    zeros. A parameter that training never observed stays 0 everywhere but in its mask.

    Args:
        series: (48 N, 37) hourly values, NaN where not observed.
        statics: (N, 4) in the order of ``STATICS``, NaN where unknown.
        weight: (N,) at admission, NaN where unknown.
        state: what ``measure`` returned.
        clip: limit of standardised values in standard deviations, or None.

    Returns:
        (48 N, 81) float32, columns ``FEATURES``; (N, 10) float32, columns ``STATIC_FEATURES``; and a JSON-able
        record of what was met.
    """
    both = zip(state["means"], state["stds"], strict=True)
    moments = [*both, (state["admission_weight"]["means"][0], state["admission_weight"]["stds"][0])]
    standard, clipped = _standardise(series, moments[: len(SERIES)], clip)
    known, clipped_statics = _standardise(statics[:, 1:], moments[len(SERIES) : -1], clip)
    heavy, _ = _standardise(weight[:, None], moments[-1:], clip)
    icu_type = statics[:, :1] == ICU_TYPES
    values = np.empty((len(series), len(FEATURES)), dtype=np.float32)
    first = HOURS * np.arange(len(statics))
    values[:, : len(SERIES)] = forward_fill(standard, first, np.zeros(len(SERIES)))
    values[:, len(SERIES) : 2 * len(SERIES)] = ~np.isnan(series)
    constant = np.concatenate([icu_type, np.nan_to_num(known)], axis=1)
    values[:, 2 * len(SERIES) :] = np.repeat(constant, HOURS, axis=0)
    gender = statics[:, STATICS.index("Gender")]
    genders = [*(gender == code for code in GENDERS.values()), np.isnan(gender)]
    numbers = [known[:, MEASURED.index("Age")], known[:, MEASURED.index("Height")], heavy[:, 0]]
    apart = np.concatenate([icu_type, np.stack([*genders, *map(np.nan_to_num, numbers)], axis=1)], axis=1)
    shares = (~np.isnan(series)).mean(axis=0).round(4).tolist()
    facts = {
        "values_clipped": clipped + clipped_statics,
        "observed_share_of_hours": dict(zip(SERIES, shares, strict=True)),
    }
    return values, apart.astype(np.float32), facts


def _moments(values: np.ndarray) -> dict[str, list]:
    """Return mean, standard deviation and count of each column's observed rows.

    A column with fewer than two values or without spread has a standard deviation of 1, one without any
    value a mean of None.
    """
    state: dict[str, list] = {"means": [], "stds": [], "observed": []}
    for column in values.T:
        seen = column[~np.isnan(column)]
        std = float(seen.std(ddof=1)) if len(seen) > 1 else 1.0
        state["means"].append(float(seen.mean()) if len(seen) else None)
        state["stds"].append(std if std > FLOOR else 1.0)
        state["observed"].append(len(seen))
    return state


def _standardise(
    values: np.ndarray, moments: list[tuple[float | None, float]], clip: float | None
) -> tuple[np.ndarray, int]:
    """Return (values − mean) / std, NaN staying NaN and a column without mean becoming it; count what was clipped."""
    out = np.full(values.shape, np.nan)
    for column, (mean, std) in enumerate(moments):
        if mean is not None:
            out[:, column] = (values[:, column] - mean) / std
    if clip is None:
        return out, 0
    clipped = int((np.abs(out) > clip).sum())
    return np.clip(out, -clip, clip), clipped
