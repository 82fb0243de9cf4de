"""List files of a mimic3-benchmarks folder: which stays, which split, which labels.

Format: specification risk.md §1.1 and §1.3. The order of their rows depends on the file system that
made them, so it is never used: stays are sorted by name.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clinbench.archives import Member
from clinbench.cohorts.csv_stack import Stack, stack_csv
from clinbench.cohorts.tensors import SPLITS
from clinbench.errors import UserError, refuse

STAY = re.compile(r"([^_/\\]+)_episode\d+_timeseries\.csv")
MADE_BY = "It is written by mimic3-benchmarks' mimic3models.split_train_val."


@dataclass(frozen=True)
class Task:
    """One prediction task of the benchmark.

    Attributes:
        folder: its folder's name.
        labels: label columns of its list files.
        hours: length of every stay in hours, or None where column ``period_length`` has it.
    """

    folder: str
    labels: tuple[str, ...]
    hours: float | None


@dataclass(frozen=True)
class Listing:
    """The N listed stays, sorted by name.

    Attributes:
        stays: (N,) str, names of time-series files.
        split: (N,) str, ``train``, ``val`` or ``test``.
        labels: (N, C) float32.
        ends: (N,) float64, hours.
        files: the N time-series files; validation stays live in the folder ``train``.
    """

    stays: np.ndarray
    split: np.ndarray
    labels: np.ndarray
    ends: np.ndarray
    files: list[Path]

    @property
    def patients(self) -> np.ndarray:
        """Return the part of each stay's name before the first ``_``."""
        return np.array([name.split("_", 1)[0] for name in self.stays.tolist()], dtype=np.str_)


def read_listing(folder: Path, task: Task) -> Listing:
    """Read the three list files of a task's folder.

    Raises:
        UserError: a list file is missing or lists nothing, a label is not 0 or 1, a name is not one of a
            time series, a stay is listed twice, its file does not exist; with file and line.
    """
    stack = stack_csv(_listfiles(folder), ["stay", *task.labels, *([] if task.hours else ["period_length"])])
    absent = [split for i, split in enumerate(SPLITS) if not (stack.file == i).any()]
    refuse(
        [f"{folder / f'{split}_listfile.csv'} lists no stays. {MADE_BY}" for split in absent],
        "A split is empty (are the patient ids those of the split's valset.csv and testset.csv?):",
    )
    labels = np.stack([_numbers(stack, name) for name in task.labels], axis=1)
    ends = np.full(len(labels), task.hours) if task.hours else _numbers(stack, "period_length")
    stays = [text or "" for text in stack.frame["stay"].to_list()]
    split = [SPLITS[i] for i in stack.file]
    files = [
        folder / ("test" if name == "test" else "train") / stay
        for stay, name in zip(stays, split, strict=True)
    ]
    refuse(_problems(stack, task, stays, labels, ends, files), f"The list files of {folder} cannot be used:")
    order = sorted(range(len(stays)), key=stays.__getitem__)
    return Listing(
        stays=np.array(stays, dtype=np.str_)[order],
        split=np.array(split, dtype=np.str_)[order],
        labels=labels[order].astype(np.float32),
        ends=ends[order],
        files=[files[i] for i in order],
    )


def _listfiles(folder: Path) -> list[Member]:
    paths = [folder / f"{split}_listfile.csv" for split in SPLITS]
    refuse(
        [f"{path}: no such file. {MADE_BY}" for path in paths if not path.is_file()],
        "List files are missing:",
    )
    return [Member(path.name, str(path), path.read_bytes()) for path in paths]


def _numbers(stack: Stack, column: str) -> np.ndarray:
    """Return a column as float64, NaN where it is not a number."""
    return stack.frame[column].cast(float, strict=False).fill_null(float("nan")).to_numpy().copy()


def _problems(
    stack: Stack, task: Task, stays: list[str], labels: np.ndarray, ends: np.ndarray, files: list[Path]
) -> list[str]:
    found = [
        f"{stack.field(row, task.labels[column])} is not 0 or 1."
        for row, column in np.argwhere(~np.isin(labels, (0, 1)))
    ]
    found += [
        f"{stack.field(row, 'period_length')} is not a positive number of hours."
        for row in np.flatnonzero(~((ends > 0) & np.isfinite(ends)))
    ]
    first: dict[str, int] = {}
    for row, stay in enumerate(stays):
        if not STAY.fullmatch(stay):
            wanted = "'<patient>_episode<number>_timeseries.csv'"
            found.append(f"{stack.field(row, 'stay')} is not of the form {wanted}.")
        elif stay in first:
            found.append(
                f"{stack.place(row)}: stay '{stay}' is listed before, in {stack.place(first[stay])}."
            )
        elif not files[row].is_file():
            found.append(f"{stack.place(row)}: the file {files[row]} does not exist; make or unlist it.")
        first.setdefault(stay, row)
    return found


def task_folder(root: Path, task: Task) -> Path:
    """Return a task's folder, given the benchmark's data folder or the task's own.

    Raises:
        UserError: neither is there.
    """
    if (root / task.folder).is_dir():
        return root / task.folder
    if (root / "train_listfile.csv").is_file() or root.name == task.folder:
        return root
    raise UserError(
        f"{root}: there is no folder '{task.folder}' in it. Point the configuration at the folder that "
        "mimic3-benchmarks wrote its tasks to."
    )
