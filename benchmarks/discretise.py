"""Reading and discretising episodes against loops over hours and channels, whose features they equal."""

import csv
import tempfile
from pathlib import Path

import numpy as np
from ratios import compare

from clinbench.archives import Member
from clinbench.cohorts.channels import CHANNELS, FEATURES, NAMES, STARTS, code, normal_values
from clinbench.cohorts.discretiser import discretise
from clinbench.cohorts.episodes import read_episodes
from clinbench.cohorts.synthetic import OPTIONS, generate

HOURS = 48
EPSILON = 1e-6


def literal_read(path: Path) -> list[list[str]]:
    """Return the rows of one episode file as text."""
    with open(path, newline="") as handle:
        return list(csv.reader(handle))[1:]


def literal_discretise(rows: list[list[str]]) -> np.ndarray:
    """Return (48, 76) features of one stay by loops over rows, bins and channels."""
    data, seen = np.zeros((HOURS, len(FEATURES))), np.zeros((HOURS, len(NAMES)), dtype=bool)
    last = {}
    for row in rows:
        hour = float(row[0])
        if hour > HOURS + EPSILON:
            continue
        place = int(hour - EPSILON)
        for channel, text in enumerate(row[1:]):
            if text:
                seen[place, channel] = True
                last[place, channel] = text
    normal = normal_values()
    for channel, one in enumerate(CHANNELS):
        value = normal[channel]
        for place in range(HOURS):
            if seen[place, channel]:
                text = last[place, channel]
                value = code(one, text) if one.categories else float(text)
            column = STARTS[channel] + (int(value) if one.categories else 0)
            data[place, column] = 1.0 if one.categories else value
            data[place, STARTS[-1] + channel] = float(seen[place, channel])
    return data


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        generate({name: schema["default"] for name, schema in OPTIONS.items()} | {"stays": 300}, Path(folder))
        files = sorted(Path(folder).glob("in-hospital-mortality/*/*_timeseries.csv"))
        ends = np.full(len(files), float(HOURS))

        def read():
            return read_episodes([Member(file.name, str(file), file.read_bytes()) for file in files])

        def hourly(events):
            return discretise(events.hours, events.values, events.offsets, ends).features

        events, texts = read(), [literal_read(file) for file in files]
        slow = np.concatenate([literal_discretise(rows) for rows in texts]).astype(np.float32)
        assert np.array_equal(hourly(events), slow)
        compare(
            f"discretise {len(files)} stays of 48 h",
            lambda: hourly(events),
            lambda: [literal_discretise(rows) for rows in texts],
            repeats=3,
        )
        compare(
            f"read and discretise {len(files)} stays of 48 h",
            lambda: hourly(read()),
            lambda: [literal_discretise(literal_read(file)) for file in files],
            repeats=3,
        )
