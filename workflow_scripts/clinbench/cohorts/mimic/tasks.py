"""Which stays make up the two tasks, in which split, and whether the full data give the known counts."""

import polars as pl

from clinbench.cohorts.discretiser import EPSILON
from clinbench.cohorts.mimic.resources import Resources
from clinbench.cohorts.tensors import SPLITS
from clinbench.errors import UserError, refuse

HOURS = 48.0  # of a stay that predict death
FULL = 61_532  # ICU stays of MIMIC-III v1.4
# Specification risk.md §1.4: stays of each split; of mortality also deaths.
EXPECTED = {
    ("mortality", "stays"): {"train": 14_681, "val": 3_222, "test": 3_236},
    ("mortality", "deaths"): {"train": 1_987, "val": 436, "test": 374},
    ("phenotyping", "stays"): {"train": 29_250, "val": 6_371, "test": 6_281},
}


def add_tasks(
    stays: pl.DataFrame, spans: pl.DataFrame, labelled: pl.Series, resources: Resources
) -> pl.DataFrame:
    """Mark what each stay is part of.

    Args:
        stays: cohort, with ``subject_id``, ``icustay_id``, ``episode``, ``los`` (days).
        spans: ``icustay_id`` with ``in_48`` and ``in_stay``: whether it has an event in that time.
        labelled: stays with a diagnosis; the benchmark has no row in the episode file of the others.
        resources: patients of the splits.

    Returns:
        The stays with ``end`` (length in hours as list files write it), ``name`` (of the time-series file),
        ``split``, ``has_series``, ``has_row``, ``mortality_task`` and ``phenotyping_task``.

    Raises:
        UserError: no patient is in the split lists, or a split of a task comes out empty.
    """
    listed = [patient for patient in stays["subject_id"].unique().to_list() if patient in resources.listed]
    if not listed:
        raise UserError(
            f"None of the {stays['subject_id'].n_unique()} patients is in testset.csv of the resource tables. The "
            "benchmark's splits are those of MIMIC-III; the tables seem to be of another database."
        )
    patient = pl.col("subject_id")
    split = (
        pl.when(patient.is_in(list(resources.test))).then(pl.lit("test"))
        .when(patient.is_in(list(resources.val))).then(pl.lit("val")).otherwise(pl.lit("train"))
    )  # fmt: skip
    end = pl.col("los") * 24.0
    usable = pl.col("has_series") & pl.col("has_row") & (end > 0)
    named = pl.format("{}_episode{}_timeseries.csv", "subject_id", "episode")
    return (
        stays.join(spans.with_columns(has_series=True), on="icustay_id", how="left", maintain_order="left")
        .with_columns(pl.col("has_series", "in_48", "in_stay").fill_null(False), named.alias("name"))
        .with_columns(pl.col("icustay_id").is_in(labelled.implode()).alias("has_row"), split.alias("split"))
        .with_columns(
            end.round(6).alias("end"),
            (usable & pl.col("in_48") & (end >= HOURS - EPSILON)).fill_null(False).alias("mortality_task"),
            (usable & pl.col("in_stay")).fill_null(False).alias("phenotyping_task"),
        )
    )


def spans_of(rows: pl.DataFrame, stays: pl.DataFrame) -> pl.DataFrame:
    """Return whether each stay with rows has one in its first 48 hours, and one in its whole time."""
    timed = rows.join(stays.select("icustay_id", "los"), on="icustay_id", how="left")
    after = pl.col("hours") > -EPSILON
    return timed.group_by("icustay_id", maintain_order=True).agg(
        (after & (pl.col("hours") < HOURS + EPSILON)).any().alias("in_48"),
        (after & (pl.col("hours") < 24.0 * pl.col("los") + EPSILON)).any().alias("in_stay"),
    )


def count_tasks(stays: pl.DataFrame) -> dict[tuple[str, str], dict[str, int]]:
    """Return the numbers that ``EXPECTED`` has, of these stays."""
    found = {}
    for task, what in EXPECTED:
        part = stays.filter(f"{task}_task")
        if what == "deaths":
            part = part.filter(pl.col("mortality") == 1)
        found[task, what] = {split: part.filter(pl.col("split") == split).height for split in SPLITS}
    return found


def check_counts(found: dict, icustays: int, allow_mismatch: bool) -> bool:
    """Compare with the counts of the full MIMIC-III, where the input is that.

    Returns:
        Whether there was something to compare.

    Raises:
        UserError: the counts differ and ``allow_mismatch`` is False; the message has a table.
    """
    if icustays != FULL:
        return False
    lines = [f"{'':28} {'expected':>9} {'found':>9}"]
    for (task, what), splits in EXPECTED.items():
        lines += [
            f"{f'{task}, {split}, {what}':28} {splits[split]:>9} {found[task, what][split]:>9}"
            + ("" if found[task, what][split] == splits[split] else "  differs")
            for split in SPLITS
        ]
    print("\n".join(lines))
    if found != EXPECTED and not allow_mismatch:
        raise UserError(
            "The full MIMIC-III gives other counts than published:\n" + "\n".join(lines) + "\nCompare "
            "the tables with PhysioNet's checksums, or set risk.mimic3.allow_count_mismatch: true."
        )
    return True


def require_splits(stays: pl.DataFrame, task: str) -> None:
    """Refuse a task with an empty split.

    Raises:
        UserError: it names the empty ones.
    """
    there = stays.filter(f"{task}_task")["split"].unique().to_list()
    refuse(
        [f"{task}: no stay in '{split}'." for split in SPLITS if split not in there],
        "A split is empty. Are the patients those of the resource tables' testset.csv and valset.csv?",
    )
