"""Episode time series of a mimic3-benchmarks folder: CSV text to typed events.

Format: specification risk.md §1.2. Columns are found by name, never by place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clinbench.archives import Member
from clinbench.cohorts.channels import CHANNELS, NAMES, expected, parse
from clinbench.cohorts.csv_stack import Stack, stack_csv
from clinbench.cohorts.discretiser import EPSILON
from clinbench.errors import refuse


@dataclass(frozen=True)
class Events:
    """Events of N files, sorted by file and hour.

    Attributes:
        hours: (M,) float64, since ICU admission, none before it.
        values: (M, 17) float64, numbers or category indices, NaN where not measured.
        offsets: (N + 1,) int64, rows of each file.
        counts: how often each oddity was met.
        ignored: columns that are no channel, and in how many files.
    """

    hours: np.ndarray
    values: np.ndarray
    offsets: np.ndarray
    counts: dict[str, int]
    ignored: dict[str, int]


def read_episodes(members: Sequence[Member], clip: bool = False) -> Events:
    """Parse episode files.

    Rows out of order are sorted by hour, equal hours keeping the file's order; rows before admission are
    dropped; both are counted.

    Args:
        members: one CSV file per stay.
        clip: whether a value outside its channel's outlier limits becomes missing, and one outside its
            valid limits moves to the nearest of these.

    Raises:
        UserError: see ``stack_csv``; an hour or a value that cannot be read, with file, line and column.
    """
    stack = stack_csv(members, ["Hours", *NAMES])
    hours = stack.frame["Hours"].cast(float, strict=False).fill_null(float("nan")).to_numpy()
    values = np.stack([parse(channel, stack.frame[channel.name]) for channel in CHANNELS], axis=1)
    refuse(_problems(stack, hours, values), "Episode files with values that cannot be read:")
    same_file = np.diff(stack.file) == 0
    step = np.diff(hours)
    early = hours <= -EPSILON
    order = np.lexsort((hours, stack.file))
    order = order[~early[order]]
    counts = {
        "rows": len(hours),
        "rows_before_admission": int(early.sum()),
        "rows_repeating_an_hour": int((same_file & (step == 0)).sum()),
        "stays_with_unsorted_hours": len(np.unique(stack.file[1:][same_file & (step < 0)])),
        "stays_without_rows": len(members) - len(np.unique(stack.file[order])),
    }
    values = values[order]
    if clip:
        counts |= clip_values(values)
    lengths = np.bincount(stack.file[order], minlength=len(members))
    return Events(hours[order], values, np.concatenate([[0], np.cumsum(lengths)]), counts, stack.ignored)


def _problems(stack: Stack, hours: np.ndarray, values: np.ndarray) -> list[str]:
    found = [f"{stack.field(row, 'Hours')} is not a number." for row in np.flatnonzero(~np.isfinite(hours))]
    for column, channel in enumerate(CHANNELS):
        written = stack.frame[channel.name].is_not_null().to_numpy()
        found += [
            f"{stack.field(row, channel.name)} is unknown; {expected(channel)}."
            for row in np.flatnonzero(written & np.isnan(values[:, column]))
        ]
    return found


def clip_values(values: np.ndarray) -> dict[str, int]:
    """Apply the channels' limits in place; return how many values went missing and how many moved."""
    missing = moved = 0
    for column, channel in enumerate(CHANNELS):
        if channel.limits:
            lowest, low, high, highest = channel.limits
            column_values = values[:, column]
            outlier = (column_values < lowest) | (column_values > highest)
            column_values[outlier] = np.nan
            missing += int(outlier.sum())
            moved += int(((column_values < low) | (column_values > high)).sum())
            np.clip(column_values, low, high, out=column_values)
    return {"values_outside_outlier_limits": missing, "values_clipped_to_valid_limits": moved}
