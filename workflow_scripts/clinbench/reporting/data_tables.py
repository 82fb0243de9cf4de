"""The two tables of data: how many stays and positives there are, and how long the stays are."""

from collections.abc import Mapping, Sequence

from clinbench.reporting.cells import UNDEFINED, count
from clinbench.reporting.plain import Kind, Shown, lay_out
from clinbench.reporting.published_studies import of_data
from clinbench.reporting.table import Table

SPLITS = {"train": "Training", "val": "Validation", "test": "Test"}


def cohort_statistics(rows: Sequence[dict], facts: Mapping[str, dict], runs: Sequence[dict]) -> Table:
    """Build the table of sizes.

    Args:
        rows: of ``study_rows.cohort_rows``: ``dataset``, ``task``, ``split``, ``stays``, ``patients`` (None if
            unknown), ``labels`` (per stay), ``positives``, ``share`` (of positive labels, 0 to 1).
        facts, runs: as ``plain.lay_out``.

    Raises:
        UserError: as ``plain.lay_out``.
    """
    return lay_out(COHORT_STATISTICS, rows, facts, runs)


def stay_lengths(rows: Sequence[dict], facts: Mapping[str, dict], runs: Sequence[dict]) -> Table:
    """Build the table of lengths of stay.

    Args:
        rows: of ``study_rows.length_rows``: ``dataset``, ``task``, ``split``, ``stays``, and in hours ``mean``,
            ``std``, ``min``, ``max``; ``skewness``. None is undefined.
        facts, runs: as ``plain.lay_out``.

    Raises:
        UserError: as ``plain.lay_out``.
    """
    return lay_out(STAY_LENGTHS, rows, facts, runs)


def _split(row: dict) -> str:
    return SPLITS.get(row["split"], row["split"])


def _task(row: dict) -> str:
    labels = row.get("labels", 1)
    return row["task"].capitalize() + (f", {labels} labels each" if labels > 1 else "")


def _count(key: str, title: str) -> Shown:
    return Shown(title, lambda row: count(row.get(key)))


def _decimal(key: str, title: str, digits: int) -> Shown:
    return Shown(title, lambda row: UNDEFINED if row.get(key) is None else f"{row[key]:,.{digits}f}")


def _below(table: str):
    def below(row: dict) -> dict | None:
        return of_data(table, row["dataset"], row["task"], row["split"])

    return below


COHORT_STATISTICS = Kind(
    name="cohort-statistics",
    title="Cohorts",
    keys=("dataset", "task", "split", "stays", "patients", "labels", "positives", "share"),
    block=("dataset", "task"),
    corner="Split",
    label=_split,
    columns=(
        _count("stays", "Stays"),
        _count("patients", "Patients"),
        _count("positives", "Positive labels"),
        Shown("Share", lambda row: UNDEFINED if row["share"] is None else f"{100 * row['share']:.2f} %"),
    ),
    detail=_task,
    note="Share is that of positive labels among all labels of the split.",
    below=_below("cohort_statistics"),
)
STAY_LENGTHS = Kind(
    name="stay-lengths",
    title="Lengths of stay",
    keys=("dataset", "task", "split", "stays", "mean", "std", "min", "max", "skewness"),
    block=("dataset", "task"),
    corner="Split",
    label=_split,
    columns=(
        _count("stays", "Stays"),
        _decimal("mean", "Mean", 1),
        _decimal("std", "Std. dev.", 1),
        _count("min", "Min."),
        _count("max", "Max."),
        _decimal("skewness", "Skewness", 2),
    ),
    detail=_task,
    note="In hours, as a model sees them. Skewness is the third standardised moment.",
    below=_below("stay_lengths"),
)
