"""The vectorised discretiser against a literal loop over bins and channels."""

import numpy as np
import pytest

from clinbench.cohorts.channels import CHANNELS, normal_values
from clinbench.cohorts.discretiser import IMPUTATIONS, discretise
from clinbench.errors import UserError


def slow(hours, values, end, timestep, impute, start):
    """One stay, by the words of the specification."""
    first = hours[0] if start == "relative" and len(hours) else 0.0
    end = end - first
    count = int(end / timestep + 1.0 - 1e-6)
    raw = [[None] * 17 for _ in range(count)]
    for hour, row in zip(hours - first, values, strict=True):
        if hour > end + 1e-6:
            continue
        bin_ = min(int(hour / timestep - 1e-6), count - 1)
        for channel in range(17):
            if not np.isnan(row[channel]):
                raw[bin_][channel] = row[channel]
    mask = [[value is not None for value in row] for row in raw]
    order = range(count) if impute != "next" else range(count - 1, -1, -1)
    last = [None] * 17
    for bin_ in order:
        for channel in range(17):
            if raw[bin_][channel] is not None:
                last[channel] = raw[bin_][channel]
            elif impute != "zero":
                remembered = last[channel] if impute in ("previous", "next") else None
                raw[bin_][channel] = normal_values()[channel] if remembered is None else remembered
    lines = []
    for row, seen in zip(raw, mask, strict=True):
        line = []
        for channel, value in zip(CHANNELS, row, strict=True):
            if not channel.categories:
                line.append(0.0 if value is None else value)
            else:
                line += [float(value is not None and value == i) for i in range(len(channel.categories))]
        lines.append(line + [float(one) for one in seen])
    return np.array(lines, dtype=np.float32).reshape(count, 76)


def episodes(rng, stays):
    """Random stays with hours on and near bin edges, repeated hours, late rows, empty stays and bins."""
    ends = np.round(rng.uniform(1, 60, stays), rng.integers(0, 3))
    hours, values = [], []
    for end in ends:
        rows = int(rng.integers(0, 40))
        time = rng.uniform(0, end + 2, rows)
        snap = rng.random(rows) < 0.4
        time[snap] = np.round(time[snap]) + rng.choice([0, 1e-7, -1e-7, 1e-5], snap.sum())
        time = np.sort(np.maximum(time, 0))
        if rows > 3:
            time[1] = time[2]
        value = rng.normal(50, 20, (rows, 17))
        for index, channel in enumerate(CHANNELS):
            if channel.categories:
                value[:, index] = rng.integers(0, len(channel.categories), rows)
        value[rng.random((rows, 17)) < 0.6] = np.nan
        hours.append(time)
        values.append(value)
    offsets = np.concatenate([[0], np.cumsum([len(time) for time in hours])])
    return np.concatenate(hours), np.concatenate(values), offsets, ends


@pytest.mark.parametrize("impute", IMPUTATIONS)
@pytest.mark.parametrize("start", ["zero", "relative"])
@pytest.mark.parametrize("timestep", [1.0, 0.8, 2.0])
def test_equals_the_loop_bit_for_bit(impute, start, timestep):
    rng = np.random.default_rng(7)
    hours, values, offsets, ends = episodes(rng, 25)
    first = np.array([hours[a] if a < b else 0.0 for a, b in zip(offsets, offsets[1:], strict=False)])
    if start == "relative":
        ends = np.maximum(ends, first + 0.5)
    got = discretise(hours, values, offsets, ends, timestep, impute, start)
    late = 0
    for stay, (a, b) in enumerate(zip(offsets, offsets[1:], strict=False)):
        wanted = slow(hours[a:b], values[a:b], ends[stay], timestep, impute, start)
        part = got.features[got.offsets[stay] : got.offsets[stay + 1]]
        np.testing.assert_array_equal(part, wanted)
        shift = first[stay] if start == "relative" else 0.0
        late += int((hours[a:b] - shift > ends[stay] - shift + 1e-6).sum())
    assert got.late_rows == late > 0


def one_stay(hours, rates, **options):
    values = np.full((len(hours), 17), np.nan)
    values[:, 8] = rates
    return discretise(np.array(hours, float), values, np.array([0, len(hours)]), np.array([4.0]), **options)


def test_rules_by_hand():
    got = one_stay([0.0, 1.0, 1.2, 3.0, 4.0, 4.1], [60, 70, 80, 90, 100, 110])
    assert got.features[:, 50].tolist() == [70, 80, 90, 100]  # an hour on the edge belongs to the bin before
    assert got.features[:, 59 + 8].tolist() == [1, 1, 1, 1] and got.late_rows == 1
    got = one_stay([2.5], [99])
    assert got.features[:, 50].tolist() == [86, 86, 99, 99]
    assert got.features[:, 59 + 8].tolist() == [0, 0, 1, 0]
    assert got.features[:, 24 + 4].tolist() == [1, 1, 1, 1]  # GCS total 15 assumed


def test_memory_does_not_cross_stays():
    values = np.full((1, 17), np.nan)
    values[0, 8] = 150
    got = discretise(np.array([0.5]), values, np.array([0, 1, 1]), np.array([2.0, 2.0]))
    assert got.features[:, 50].tolist() == [150, 150, 86, 86]


def test_mistakes_are_named():
    with pytest.raises(UserError, match="'mean' is not one of previous, next"):
        one_stay([1], [1], impute="mean")
    with pytest.raises(UserError, match="before the start"):
        one_stay([-3.0], [1])
