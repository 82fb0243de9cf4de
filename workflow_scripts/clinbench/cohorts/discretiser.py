"""Irregular events to hourly bins with masks and imputation, a whole cohort in one pass.

Semantics are the MIMIC-III benchmark's (specification risk.md §1.5), without its loops over bins.
"""

from dataclasses import dataclass

import numpy as np

from clinbench.cohorts.channels import CATEGORICAL, FEATURES, STARTS, normal_values
from clinbench.errors import UserError

EPSILON = 1e-6
IMPUTATIONS = ("previous", "next", "normal_value", "zero")
STARTS_AT = ("zero", "relative")


@dataclass(frozen=True)
class Hourly:
    """Discretised stays.

    Attributes:
        features: (ΣT, 76) float32: 59 values (categories one-hot), then 17 masks.
        offsets: (N + 1,) int64 into the bins.
        late_rows: events dropped because they lie beyond their stay's end.
    """

    features: np.ndarray
    offsets: np.ndarray
    late_rows: int


def bins_of(hours: np.ndarray, timestep: float = 1.0) -> np.ndarray:
    """Return the bin of each time: bin k is (k, k + 1] timesteps, time 0 is in bin 0."""
    return (hours / timestep - EPSILON).astype(np.int64)


def discretise(
    hours: np.ndarray,
    values: np.ndarray,
    offsets: np.ndarray,
    ends: np.ndarray,
    timestep: float = 1.0,
    impute: str = "previous",
    start: str = "zero",
) -> Hourly:
    """Discretise events of N stays.

    Of several values in one bin the last row wins. A bin without a value is imputed: ``previous`` takes
    the last value before it, ``next`` the first after it, both else the normal value; ``normal_value``
    always that; ``zero`` leaves all its features 0.

    Args:
        hours: (M,) float64, hours since admission; rows of a stay are adjacent and ascending.
        values: (M, 17) float64, numbers or category indices, NaN where not measured.
        offsets: (N + 1,) int64, rows of stay i are ``offsets[i]`` to ``offsets[i + 1]``.
        ends: (N,) float64, length of each stay in hours; later rows are dropped.
        timestep: length of a bin in hours.
        impute: one of ``IMPUTATIONS``.
        start: ``zero`` counts from admission, ``relative`` from each stay's first event.

    Raises:
        UserError: unknown ``impute`` or ``start``, or an event before the start.
    """
    for value, choices in ((impute, IMPUTATIONS), (start, STARTS_AT)):
        if value not in choices:
            raise UserError(f"Discretiser: '{value}' is not one of {', '.join(choices)}.")
    stay = np.repeat(np.arange(len(ends)), np.diff(offsets))
    if start == "relative":
        first = np.zeros(len(ends))
        some = np.diff(offsets) > 0
        first[some] = hours[offsets[:-1][some]]
        hours, ends = hours - first[stay], ends - first
    kept = hours <= ends[stay] + EPSILON
    counts = (ends / timestep + 1.0 - EPSILON).astype(np.int64)
    bin_offsets = np.concatenate([[0], np.cumsum(counts)])
    bins = np.minimum(bins_of(hours[kept], timestep), counts[stay[kept]] - 1)
    if (bins < 0).any():
        raise UserError("Discretiser: an event lies before the start of its stay; drop such rows first.")
    observed = _last_in_bin(bin_offsets[stay[kept]] + bins, values[kept], int(bin_offsets[-1]))
    mask = ~np.isnan(observed)
    filled = _impute(observed, mask, bin_offsets, impute)
    return Hourly(_encode(filled, mask), bin_offsets, int((~kept).sum()))


def _last_in_bin(bins: np.ndarray, values: np.ndarray, total: int) -> np.ndarray:
    """Scatter (M, C) event values to (total, C) bins, NaN where none; numpy keeps the last assignment."""
    out = np.full((total, values.shape[1]), np.nan)
    for channel in range(values.shape[1]):
        rows = np.flatnonzero(~np.isnan(values[:, channel]))
        out[bins[rows], channel] = values[rows, channel]
    return out


def _impute(observed: np.ndarray, mask: np.ndarray, offsets: np.ndarray, impute: str) -> np.ndarray:
    """Fill unobserved bins; with ``zero`` they stay NaN."""
    if impute == "zero":
        return observed
    normal = normal_values()
    if impute == "normal_value":
        return np.where(mask, observed, normal)
    if impute == "next":
        mirrored = offsets[-1] - offsets[::-1]
        return _impute(observed[::-1], mask[::-1], mirrored, "previous")[::-1]
    return forward_fill(observed, offsets[:-1], normal)


def forward_fill(values: np.ndarray, firsts: np.ndarray, initial: np.ndarray) -> np.ndarray:
    """Replace NaN by the last value above it in the same stay, else by ``initial``.

    Args:
        values: (ΣT, C) float, NaN where not observed.
        firsts: (N,) first row of each stay, at which the memory is cleared.
        initial: (C,) value assumed before any observation.
    """
    values = values.copy()
    head = values[firsts]
    values[firsts] = np.where(np.isnan(head), initial, head)
    source = np.where(np.isnan(values), 0, np.arange(len(values))[:, None])
    return np.take_along_axis(values, np.maximum.accumulate(source, axis=0), axis=0)


def _encode(filled: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Spread (ΣT, 17) values over (ΣT, 76) features: numbers as they are, categories one-hot, masks last."""
    features = np.zeros((len(filled), len(FEATURES)), dtype=np.float32)
    for channel, categorical in enumerate(CATEGORICAL):
        rows = np.flatnonzero(~np.isnan(filled[:, channel]))
        column = filled[rows, channel]
        if categorical:
            features[rows, STARTS[channel] + column.astype(np.int64)] = 1.0
        else:
            features[rows, STARTS[channel]] = column
    features[:, STARTS[-1] :] = mask
    return features
