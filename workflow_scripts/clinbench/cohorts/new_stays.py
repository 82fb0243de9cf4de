"""Stays of a user's own folder, in the features a model was trained on, with or without labels."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from clinbench.archives import Member
from clinbench.cohorts.csv_stack import Stack, read_header, stack_csv
from clinbench.errors import UserError, refuse

LIST = "listfile.csv"


@dataclass(frozen=True, eq=False)
class NewStays:
    """N stays a trained model can predict on; laid out like a ``Cohort``.

    Attributes:
        values: (ΣT, F) float32, standardised with the trained cohort's state, never refitted.
        offsets: (N + 1,) int64.
        statics: (N, S) float32.
        stays: (N,) str, sorted.
        hours: (N,) float64, length of each stay as given (``period_length`` of a prediction file).
        labels: (N,) or (N, C) float32 of 0 and 1, or None where the folder has none.
        features: F names.
        static_features: S names.
        info: JSON-able counts of what was read and found odd.
    """

    values: np.ndarray
    offsets: np.ndarray
    statics: np.ndarray
    stays: np.ndarray
    hours: np.ndarray
    labels: np.ndarray | None
    features: list[str]
    static_features: list[str]
    info: dict = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of stays."""
        return len(self.stays)

    @property
    def lengths(self) -> np.ndarray:
        """Return the hours of each stay's series, (N,) int64."""
        return np.diff(self.offsets)


@dataclass(frozen=True)
class StayList:
    """What a folder's ``listfile.csv`` says, in its order.

    Attributes:
        stays: N names.
        hours: (N,) float64 from column ``period_length``, or None where it has none.
        labels: (N, C) float32, or None where it has none of the label columns.
    """

    stays: list[str]
    hours: np.ndarray | None
    labels: np.ndarray | None

    def labels_of(self, stays: list[str]) -> np.ndarray | None:
        """Return labels in the order of ``stays``; (n,) for one label column, else (n, C)."""
        if self.labels is None:
            return None
        place = {stay: row for row, stay in enumerate(self.stays)}
        rows = [place[stay] for stay in stays]
        return self.labels[rows, 0] if self.labels.shape[1] == 1 else self.labels[rows]


def read_list(folder: Path, there: set[str], label_columns: tuple[str, ...]) -> StayList | None:
    """Read ``listfile.csv`` of a user's folder; None where there is none.

    Args:
        folder: the folder.
        there: stays of which it has a series.
        label_columns: label columns of the task; the list has all of them or none.

    Raises:
        UserError: some label columns but not all, a stay twice or without series, a label that is not 0 or
            1, a period that is not positive; with file and line.
    """
    file = folder / LIST
    if not file.is_file():
        return None
    data = file.read_bytes()
    header = read_header(data)
    lacking = [name for name in label_columns if name not in header]
    if 0 < len(lacking) < len(label_columns):
        raise UserError(
            f"{file}, line 1: the header has some labels but not {', '.join(lacking)}; give all labels or none."
        )
    labelled, timed = not lacking, "period_length" in header
    columns = ["stay", *(label_columns if labelled else ()), *(["period_length"] if timed else [])]
    stack = stack_csv([Member(LIST, str(file), data)], columns)
    stays = [text or "" for text in stack.frame["stay"].to_list()]
    labels = np.stack([_numbers(stack, n) for n in label_columns], axis=1) if labelled else None
    hours = _numbers(stack, "period_length") if timed else None
    refuse(_problems(stack, stays, there, label_columns, labels, hours), f"{file} cannot be used:")
    return StayList(stays, hours, None if labels is None else labels.astype(np.float32))


def _numbers(stack: Stack, column: str) -> np.ndarray:
    return stack.frame[column].cast(float, strict=False).fill_null(float("nan")).to_numpy()


def _problems(
    stack: Stack,
    stays: list[str],
    there: set[str],
    label_columns: tuple[str, ...],
    labels: np.ndarray | None,
    hours: np.ndarray | None,
) -> list[str]:
    found = [] if stays else [f"{stack.origins[0]} lists no stays."]
    first = {stay: row for row, stay in reversed([*enumerate(stays)])}
    for row, stay in enumerate(stays):
        if stay not in there:
            found.append(f"{stack.field(row, 'stay')}: the folder has no such series.")
        elif first[stay] != row:
            found.append(
                f"{stack.place(row)}: stay '{stay}' is listed before, in line {stack.line[first[stay]]}."
            )
    if labels is not None:
        wrong = np.argwhere(~np.isin(labels, (0, 1)))
        found += [f"{stack.field(row, label_columns[column])} is not 0 or 1." for row, column in wrong]
    if hours is not None:
        wrong = np.flatnonzero(~((hours > 0) & np.isfinite(hours)))
        found += [f"{stack.field(row, 'period_length')} is not a positive number of hours." for row in wrong]
    return found
