"""Predictions made elsewhere, in the columns of mimic3-benchmarks (risk.md §1.3)."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from clinbench.archives import Member
from clinbench.cohorts.csv_stack import Stack, read_header, stack_csv
from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError, closest, refuse
from clinbench.risk.predictions import Predictions, columns

SHOWN = 20  # problems told in full


def read_external(path: Path, cohort: Cohort) -> tuple[Predictions, dict[str, int]]:
    """Read one probability of each test stay and label, in any order.

    Args:
        path: a CSV with ``stay,prediction`` and maybe ``y_true``, or for C labels ``stay,pred_1..C`` and maybe
            ``label_1..C`` and ``period_length``; columns in any order. Known labels are compared, not used.
        cohort: all stays, of which the test stays are predicted.

    Returns:
        The predictions in the order of the test stays, and counts: ``labels_compared``.

    Raises:
        UserError: no such file, unknown or missing columns; a value that is no probability; a label that is not the
            cohort's; a stay that is unknown, of another split, named twice or missing; all with line and column.
    """
    test = cohort.select("test")
    scored, known = _names(test)
    stack = _read(Path(path), ["stay", *scored], known)
    stays = [(text or "").strip() for text in stack.frame["stay"].to_list()]
    rows = {stay: row for row, stay in reversed([*enumerate(stays)])}
    place = {stay: at for at, stay in enumerate(test.stays.tolist())}
    at = np.array([place.get(stay, -1) for stay in stays], dtype=np.int64)
    scores = np.stack([_numbers(stack, name) for name in scored], axis=1)
    compared = [name for name in known if name in stack.frame.columns]
    problems = [
        *_stay_problems(stack, stays, rows, cohort),
        *_score_problems(stack, scored, scores),
        *_label_problems(stack, known, compared, at, test),
        *(f"test stay '{stay}' has no line." for stay in place if stay not in rows),
    ]
    refuse(problems, f"{path}: predictions that cannot be used:", limit=SHOWN)
    out = np.empty((len(test), len(scored)))
    out[at] = scores
    written = sum(stack.frame[name].is_not_null().sum() for name in compared)
    return Predictions(test.stays, test.lengths, test.labels, out.reshape(test.labels.shape)), {
        "labels_compared": int(written)
    }


def _names(test: Cohort) -> tuple[list[str], list[str]]:
    """Return the columns of probabilities and those of labels."""
    names = [name for name in columns(test.labels) if name not in ("stay", "period_length")]
    return names[: len(names) // 2], names[len(names) // 2 :]


def _read(path: Path, needed: list[str], known: list[str]) -> Stack:
    """Read the columns that are needed and those that may be there; no other is accepted, lest one be misspelt."""
    if not path.is_file():
        raise UserError(f"{path}: no such file of predictions.")
    data = path.read_bytes()
    there = read_header(data)
    allowed = [*needed, *known, "period_length"]
    stack = stack_csv(
        [Member(path.name, str(path), data)], [*needed, *(name for name in known if name in there)]
    )
    strange = [name for name in stack.ignored if name not in allowed]
    refuse(
        (f"'{name}'{closest(name, allowed)}" for name in strange),
        f"{path}, line 1: columns that no file of predictions of this task has; rename or drop them:",
    )
    if not stack.frame.height:
        raise UserError(f"{path}: no line below the header; one for each test stay is needed.")
    return stack


def _numbers(stack: Stack, column: str) -> np.ndarray:
    """Return a column as float64, NaN where it is no number."""
    texts = stack.frame[column].str.strip_chars()
    return texts.cast(float, strict=False).fill_null(float("nan")).to_numpy()


def _stay_problems(stack: Stack, stays: list[str], rows: dict[str, int], cohort: Cohort) -> Iterator[str]:
    split = dict(zip(cohort.stays.tolist(), cohort.split.tolist(), strict=True))
    example = next(stay for stay, part in split.items() if part == "test")
    for row, stay in enumerate(stays):
        if stay not in split:
            yield f"{stack.field(row, 'stay')} is no stay of the cohort, whose test stays look like '{example}'."
        elif split[stay] != "test":
            yield f"{stack.field(row, 'stay')} is a stay of the {split[stay]} split; leave it out."
        elif rows[stay] != row:
            yield f"{stack.field(row, 'stay')} is there before, in line {stack.line[rows[stay]]}; keep one."


def _score_problems(stack: Stack, names: list[str], scores: np.ndarray) -> Iterator[str]:
    for row, column in np.argwhere(~((scores >= 0) & (scores <= 1))):
        field = stack.field(row, names[column])
        finite = np.isfinite(scores[row, column])
        yield f"{field} is {'no probability, from 0 to 1' if finite else 'no finite number'}."


def _label_problems(
    stack: Stack, known: list[str], compared: list[str], at: np.ndarray, test: Cohort
) -> Iterator[str]:
    labels = test.labels.reshape(len(test), -1)
    for name in compared:
        theirs, ours = _numbers(stack, name), labels[at, known.index(name)]
        given = stack.frame[name].is_not_null().to_numpy()
        for row in np.flatnonzero(given & (at >= 0) & (theirs != ours)):
            yield f"{stack.field(row, name)} is not {ours[row]:.0f}, the cohort's label of this stay."
