"""What may leave a site that holds credentialed data: aggregates, with no small cells and no ids.

See docs/credentialed.md for the reasons.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

SMALLEST = 10  # a cell that counts fewer patients is not shown
STAY = re.compile(r"\d+_episode\d+")
ID_NAMES = {
    *("stay", "stay_id", "subject_id", "hadm_id", "icustay_id", "patient", "patient_id", "recordid"),
    *("row_id", "mrn", "dob", "dod", "charttime", "intime", "outtime", "admittime", "deathtime"),
}
TABLE = "dataset"  # column that every table of results has
LONGEST = 200  # values in a list; a longer one has one for each stay
SUFFIXES = {".csv", ".json", ".md", ".tex", ".pdf", ".png"}
WORDS = {
    "dataset",
    "task",
    "model",
    "system",
    "split",
    "level",
    "subset",
    "metric",
    "selection",
    "label",
    "other",
}
COUNTS = {"n", "stays", "patients", "positives", "cells", "deaths"}


def suppress(counts: Sequence[int], smallest: int = SMALLEST) -> list[int | None]:
    """Hide counts under ``smallest``, and so many more that no hidden one follows from the sum.

    Args:
        counts: parts of a whole whose sum is known, such as the stays of each sex.
        smallest: the least count that is shown.

    Returns:
        The counts, None where hidden. If one alone would be hidden, the next smallest is too.

    Example:
        >>> suppress([120, 4, 56]), suppress([120, 56])
        ([120, None, None], [120, 56])
    """
    order = sorted(range(len(counts)), key=counts.__getitem__)
    hidden = [i for i in order if counts[i] < smallest]
    if len(hidden) == 1 and len(order) > 1:
        hidden.append(order[1])
    return [None if i in hidden else count for i, count in enumerate(counts)]


def suppress_rows(rows: Sequence[dict], smallest: int = SMALLEST) -> list[dict]:
    """Blank value, spread and count of metric rows that stand on fewer than ``smallest`` samples."""
    blank = dict.fromkeys(("value", "std", "ci_low", "ci_high", "n", "n_valid"))
    return [row | blank if row["n"] is not None and row["n"] < smallest else dict(row) for row in rows]


def reasons_to_refuse(path: Path, ids: set[str], credentialed: bool = True) -> list[str]:
    """Say why a file must not leave the site; an empty list if it may.

    Args:
        path: a table, metrics file or figure.
        ids: numbers and names of the site's patients, admissions and stays, as text.
        credentialed: whether counts under ``SMALLEST`` are refused as well.
    """
    if path.suffix not in SUFFIXES:
        return [f"files of type '{path.suffix}' may hold rows of patients"]
    data = path.read_bytes()
    text = data.decode("utf-8", "replace" if path.suffix not in (".pdf", ".png") else "ignore")
    found = [f"it names a stay: {match.group()}" for match in [STAY.search(text)] if match]
    if path.suffix == ".csv":
        found += _table_reasons(text, ids, credentialed)
    elif path.suffix == ".json":
        try:
            found += _json_reasons(json.loads(text), ids, credentialed)
        except json.JSONDecodeError:
            found.append("it is not valid JSON, so it cannot be checked")
    elif path.suffix in (".md", ".tex"):
        cells = re.split(r"[|&\s]+", text)
        known = sorted({cell for cell in cells if len(cell) > 5 and cell in ids})
        found += [f"it holds the id {known[0]}"] if len(known) > 2 else []
    return list(dict.fromkeys(found))


def _table_reasons(text: str, ids: set[str], credentialed: bool) -> list[str]:
    rows = list(csv.DictReader(io.StringIO(text)))
    columns = {name.strip().lower() for name in (rows[0] if rows else {}) if name}
    found = [f"column '{name}' identifies rows of patients" for name in sorted(columns & ID_NAMES)]
    if TABLE not in columns:
        found.append(f"it is no table of results: column '{TABLE}' is missing")
    for row in rows:
        for name, cell in row.items():
            if name in WORDS and cell in ids:
                found.append(f"column '{name}' holds the id {cell}")
            if credentialed and name in COUNTS and _small(cell):
                found.append(f"column '{name}' has a count from 1 to {SMALLEST - 1}")
    return found


def _json_reasons(value: object, ids: set[str], credentialed: bool) -> list[str]:
    found = []
    for keys, one in _walk(value):
        key = keys[-1] if keys else ""
        if key.lower() in ID_NAMES and not isinstance(one, int | float | dict):
            found.append(f"key '{key}' identifies rows of patients")
        if isinstance(one, list) and len(one) > LONGEST and not isinstance(one[0], dict):
            found.append(f"'{key}' lists {len(one)} values, one for each row of something")
        if isinstance(one, list) and len({str(item) for item in one if _atom(item)} & ids) > 2:
            found.append(f"'{key}' lists ids")
        if isinstance(one, str) and one in ids:
            found.append(f"'{key}' holds the id {one}")
        if credentialed and key in COUNTS and any(map(_small, one if isinstance(one, list) else [one])):
            found.append(f"'{'.'.join(keys[-3:])}' has a count from 1 to {SMALLEST - 1}")
    return found


def _walk(value: object, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield every value inside a JSON value with the keys that lead to it."""
    yield keys, value
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _walk(one, (*keys, str(key)))
    elif isinstance(value, list):
        for one in value:
            if isinstance(one, dict | list):
                yield from _walk(one, keys)


def _atom(value: object) -> bool:
    return isinstance(value, str | int)


def _small(value: object) -> bool:
    """Tell whether a count, as a number or text, lies from 1 to ``SMALLEST`` − 1."""
    try:
        return 0 < float(value) < SMALLEST
    except (TypeError, ValueError):
        return False
