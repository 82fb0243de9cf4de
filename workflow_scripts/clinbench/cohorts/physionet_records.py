"""Record files of the PhysioNet 2012 challenge: ``Time,Parameter,Value`` lines to hourly values.

Format: one file ``set-x/<RecordID>.txt`` per stay with its first 48 hours, times ``HH:MM``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from clinbench.archives import Member
from clinbench.cohorts.csv_stack import Stack, stack_csv
from clinbench.cohorts.discretiser import bins_of
from clinbench.cohorts.physionet_parameters import (
    CODED,
    PARAMETERS,
    SERIES,
    SERIES_LIMITS,
    STATIC_LIMITS,
    STATICS,
    UNKNOWN,
)
from clinbench.errors import refuse

HOURS = 48
TIME = re.compile(r"(\d\d):([0-5]\d)")
RECORD_ID, STRANGE, NAMELESS = len(PARAMETERS), -1, -2  # what a row's parameter may be besides an index


@dataclass(frozen=True)
class Records:
    """N stays of 48 hours.

    Attributes:
        ids: (N,) str, RecordIDs in the order of the files.
        series: (48 N, 37) float64, last value of each hour, NaN where none.
        statics: (N, 4) float64, columns ``STATICS``, NaN where unknown.
        weight: (N,) float64, kg at admission (time 00:00), NaN where unknown.
        counts: how often what was met; a number, or a number per parameter.
    """

    ids: np.ndarray
    series: np.ndarray
    statics: np.ndarray
    weight: np.ndarray
    counts: dict


@dataclass(frozen=True)
class _Rows:
    """The M lines, typed: minutes and values are NaN where unreadable."""

    minutes: np.ndarray
    parameter: np.ndarray
    values: np.ndarray
    empty: np.ndarray


def parse_records(members: Sequence[Member], drop_impossible: bool = True) -> Records:
    """Parse record files.

    The last value within an hour wins; hour h is (h, h + 1], so 48:00 belongs to the last one. Dropped
    and counted are: rows without a parameter name, of an unknown parameter, without a value or after
    48:00, and values of −1. That means "unknown" for every parameter: none but Temp can be negative, and
    no patient has −1 °C.

    Args:
        members: one file per stay, named ``<RecordID>.txt``.
        drop_impossible: whether values no living patient has become missing; counted either way.

    Raises:
        UserError: see ``stack_csv``; a time, a value or a RecordID that is wrong, with file and line.
    """
    stack = stack_csv(members, ["Time", "Parameter", "Value"])
    rows = _typed(stack)
    ids = [PurePath(member.name).stem for member in members]
    refuse(_problems(stack, rows, ids), "PhysioNet 2012 records with lines that cannot be read:")
    in_time = rows.minutes <= 60 * HOURS
    usable = (rows.parameter >= 0) & (rows.parameter != RECORD_ID) & ~rows.empty & in_time
    unknown = usable & (rows.values == UNKNOWN)
    bounds = np.array([*SERIES_LIMITS.values(), *STATIC_LIMITS.values(), (-np.inf, np.inf)])[rows.parameter]
    inside = (rows.values >= bounds[:, 0]) & (rows.values <= bounds[:, 1])
    impossible = usable & ~unknown & ~inside
    kept = np.flatnonzero(usable & ~unknown & ~(impossible & drop_impossible))
    kept = kept[np.lexsort((rows.minutes[kept], stack.file[kept]))]
    backwards = (np.diff(stack.file) == 0) & (np.diff(rows.minutes) < 0)
    charted = np.unique(stack.file[kept][rows.parameter[kept] < len(SERIES)])
    counts = {
        "records": len(ids),
        "rows": len(rows.values),
        "rows_without_parameter_name": int((rows.parameter == NAMELESS).sum()),
        "rows_of_unknown_parameters": _strangers(stack, rows),
        "rows_without_value": int(((rows.parameter >= 0) & rows.empty).sum()),
        "rows_after_48_hours": int(((rows.parameter >= 0) & ~in_time).sum()),
        "values_unknown": _tally(rows.parameter[unknown]),
        "values_impossible": _tally(rows.parameter[impossible]),
        "records_with_unsorted_times": len(np.unique(stack.file[1:][backwards])),
        "records_without_measurements": len(ids) - len(charted),
    }
    return Records(np.array(ids, dtype=np.str_), *_hourly(stack.file[kept], rows, kept, len(ids)), counts)


def _typed(stack: Stack) -> _Rows:
    clock = {text: _minutes(text) for text in stack.frame["Time"].unique().drop_nulls().to_list()}
    codes = {name: code for code, name in enumerate((*PARAMETERS, "RecordID"))} | {"": NAMELESS}
    times, names, numbers = (stack.frame[name] for name in ("Time", "Parameter", "Value"))
    names = names.str.strip_chars().fill_null("")
    values = numbers.str.strip_chars().cast(float, strict=False).fill_null(float("nan")).to_numpy().copy()
    values[np.isinf(values)] = np.nan
    return _Rows(
        minutes=times.replace_strict(clock, default=None, return_dtype=float)
        .fill_null(float("nan"))
        .to_numpy(),
        parameter=names.replace_strict(codes, default=STRANGE, return_dtype=int).to_numpy(),
        values=values,
        empty=numbers.is_null().to_numpy(),
    )


def _minutes(text: str) -> float:
    found = TIME.fullmatch(text.strip())
    return 60.0 * int(found[1]) + int(found[2]) if found else float("nan")


def _problems(stack: Stack, rows: _Rows, ids: list[str]) -> list[str]:
    def told(mask: np.ndarray, column: str, wanted: str) -> list[str]:
        return [
            f"{stack.field(row, column)} ({stack.frame['Parameter'][int(row)]}) is not {wanted}."
            for row in np.flatnonzero(mask)
        ]

    named = rows.parameter >= 0
    found = told(named & np.isnan(rows.minutes), "Time", "a time HH:MM")
    found += told(named & ~rows.empty & np.isnan(rows.values), "Value", "a number")
    for name, codes in CODED.items():
        wrong = (rows.parameter == PARAMETERS.index(name)) & ~np.isnan(rows.values)
        wrong &= ~np.isin(rows.values, (*codes, UNKNOWN))
        found += told(wrong, "Value", f"one of {', '.join(map(str, codes))}, or -1 for unknown")
    stated = np.flatnonzero(rows.parameter == RECORD_ID)
    owner = np.array([float(name) for name in ids])[stack.file[stated]]
    other = np.zeros(len(named), dtype=bool)
    other[stated] = ~rows.empty[stated] & (rows.values[stated] != owner) & ~np.isnan(rows.values[stated])
    return found + told(other, "Value", "the number in the file's name")


def _strangers(stack: Stack, rows: _Rows) -> dict[str, int]:
    names = stack.frame["Parameter"].filter(rows.parameter == STRANGE).value_counts()
    return dict(sorted(names.iter_rows()))


def _tally(parameter: np.ndarray) -> dict[str, int]:
    """Count values per parameter, leaving out those without any."""
    counts = np.bincount(parameter, minlength=len(PARAMETERS))
    return {name: int(count) for name, count in zip(PARAMETERS, counts, strict=False) if count}


def _hourly(
    file: np.ndarray, rows: _Rows, kept: np.ndarray, stays: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scatter rows sorted by file and time; of several values for one cell numpy keeps the last."""
    parameter, values = rows.parameter[kept], rows.values[kept]
    static = parameter >= len(SERIES)
    bins = HOURS * file + np.minimum(bins_of(rows.minutes[kept] / 60), HOURS - 1)
    series = np.full((stays * HOURS, len(SERIES)), np.nan)
    series[bins[~static], parameter[~static]] = values[~static]
    statics = np.full((stays, len(STATICS)), np.nan)
    statics[file[static], parameter[static] - len(SERIES)] = values[static]
    weight = np.full(stays, np.nan)
    weighed = (parameter == SERIES.index("Weight")) & (rows.minutes[kept] == 0)
    weight[file[weighed]] = values[weighed]
    return series, statics, weight
