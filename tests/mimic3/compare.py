"""Compare folders of the benchmark with the literal version, cell by cell."""

import csv

from clinbench.cohorts.channels import NAMES

SPLITS = ("train", "val", "test")


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as handle:
        return list(csv.reader(handle))


def same_cell(text, value):
    if value is None:
        return text == ""
    return text == value if isinstance(value, str) else text != "" and abs(float(text) - value) < 1e-9


def series_differences(path, rows):
    """Return the cells of a time-series file that are not those of the literal rows."""
    header, *lines = rows_of(path)
    if header != ["Hours", *NAMES] or len(lines) != len(rows):
        return [f"{path}: {len(lines)} lines, {len(rows)} expected"]
    found = []
    for line, (hours, cells) in zip(lines, rows, strict=True):
        wanted = [hours, *(cells.get(name) for name in NAMES)]
        found += [
            f"{path}: {text!r}, not {value!r}"
            for text, value in zip(line, wanted, strict=True)
            if not same_cell(text, value)
        ]
    return found


def differences(folder, literal, test):
    """Return every difference between the folders and the literal version."""
    found, compared = [], 0
    for (subject, episode), rows in literal["series"].items():
        place = folder / "root" / ("test" if subject in test else "train") / subject
        found += series_differences(place / f"episode{episode}_timeseries.csv", rows)
        compared += sum(len(cells) for _, cells in rows)
        _, *lines = rows_of(place / f"episode{episode}.csv")
        wanted = literal["root"][subject, episode]
        if len(lines) != (wanted is not None):
            found.append(f"{place}: episode{episode}.csv has {len(lines)} rows")
        elif wanted:
            found += [
                f"{place} episode{episode}.csv: {text!r}, not {value!r}"
                for text, value in zip(lines[0], wanted, strict=True)
                if not same_cell(text, value)
            ]
    series = {path.name for path in folder.glob("root/*/*/*_timeseries.csv")}
    if len(list(folder.glob("root/*/*/*_timeseries.csv"))) != len(literal["series"]):
        found.append(f"root has other series: {sorted(series)[:5]}")
    for task, stays in literal["tasks"].items():
        found += task_differences(folder / task, stays)
    return found, compared


def task_differences(folder, stays):
    found = []
    for half, splits in (("train", SPLITS[:2]), ("test", SPLITS[2:])):
        wanted = {name: fields for name, (split, fields, _) in stays.items() if split in splits}
        found += list_differences(folder / half / "listfile.csv", wanted)
        there = {path.name for path in (folder / half).glob("*_timeseries.csv")}
        if there != {*wanted}:
            found.append(f"{folder / half}: files {sorted(there ^ {*wanted})}")
        for name in {*wanted} & there:
            found += series_differences(folder / half / name, stays[name][2])
    for split in SPLITS:
        wanted = {name: fields for name, (where, fields, _) in stays.items() if where == split}
        found += list_differences(folder / f"{split}_listfile.csv", wanted)
    return found


def list_differences(path, wanted):
    _, *lines = rows_of(path)
    there = {name: fields for name, *fields in lines}
    return [] if there == wanted and len(lines) == len(there) else [f"{path}: {there} instead of {wanted}"]
