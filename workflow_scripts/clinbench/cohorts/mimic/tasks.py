"""Which stays make up the two tasks, in which split, and whether the full data give the known counts."""

import polars as pl

from clinbench.cohorts.discretiser import EPSILON
from clinbench.cohorts.mimic.resources import Resources
from clinbench.cohorts.tensors import SPLITS
from clinbench.errors import UserError, refuse

HOURS = 48.0  # of a stay that predict death
FULL = 33_798  # patients of the benchmark's cohort in MIMIC-III v1.4, specification risk.md §1.1
# Specification risk.md §1.4: stays of each split; of mortality also deaths.
EXPECTED = {
    ("mortality", "stays"): {"train": 14_681, "val": 3_222, "test": 3_236},
    ("mortality", "deaths"): {"train": 1_987, "val": 436, "test": 374},
    ("phenotyping", "stays"): {"train": 29_250, "val": 6_371, "test": 6_281},
}

EMPTY = (
    "A split is empty. Are the patients those of the resource tables' testset.csv and valset.csv, and do their "
    "admissions have diagnoses that D_ICD_DIAGNOSES has?"
)


def add_candidates(stays: pl.DataFrame, labelled: pl.Series, resources: Resources) -> pl.DataFrame:
    """Mark what each stay may be part of, as far as that is known before its events are read.

    Args:
        stays: cohort, with ``subject_id``, ``icustay_id``, ``episode``, ``los`` (days).
        labelled: stays with a diagnosis; the benchmark has no row in the episode file of the others.
        resources: patients of the splits.

    Returns:
        The stays with ``end`` (length in hours as list files write it), ``name`` (of the time-series file),
        ``split``, ``has_row``, ``mortality_task`` and ``phenotyping_task``.

    Raises:
        UserError: no patient is in the split lists, or each task has an empty split.
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
    usable = pl.col("has_row") & (end > 0)
    named = pl.format("{}_episode{}_timeseries.csv", "subject_id", "episode")
    marked = stays.with_columns(
        pl.col("icustay_id").is_in(labelled.implode()).alias("has_row"),
        split.alias("split"),
        named.alias("name"),
    ).with_columns(
        end.round(6).alias("end"),
        (usable & (end >= HOURS - EPSILON)).fill_null(False).alias("mortality_task"),
        usable.fill_null(False).alias("phenotyping_task"),
    )
    _require_a_task(marked)
    return marked


def add_tasks(stays: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Keep the marks of ``add_candidates`` on stays that have events in the time their task looks at.

    Args:
        stays: as ``add_candidates`` returns them.
        spans: ``icustay_id`` with ``in_48`` and ``in_stay``: whether it has an event in that time.

    Returns:
        The stays with ``has_series`` too.
    """
    spans = spans.with_columns(has_series=True)
    return (
        stays.join(spans, on="icustay_id", how="left", maintain_order="left")
        .with_columns(pl.col("has_series", "in_48", "in_stay").fill_null(False))
        .with_columns(
            pl.col("mortality_task") & pl.col("in_48"), pl.col("phenotyping_task") & pl.col("in_stay")
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


def count_tasks(stays: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Return the numbers that ``EXPECTED`` has, of these stays, by ``task what`` and split."""
    found = {}
    for task, what in EXPECTED:
        part = stays.filter(f"{task}_task")
        if what == "deaths":
            part = part.filter(pl.col("mortality") == 1)
        found[f"{task} {what}"] = {split: part.filter(pl.col("split") == split).height for split in SPLITS}
    return found


def is_full(patients: int) -> bool:
    """Return whether so many patients must be the full MIMIC-III: more than half of its cohort."""
    return patients > FULL / 2


def require_credentialed(patients: int, is_open: bool) -> None:
    """Refuse to treat the full MIMIC-III as open data.

    Raises:
        UserError: it says what to set.
    """
    if is_open and is_full(patients):
        raise UserError(
            f"access: open, but {patients} patients are the credentialed MIMIC-III, not its open demo. Delete "
            "'access: open' of this cohort from the configuration; its results are then kept private."
        )


def count_table(found: dict[str, dict[str, int]]) -> str:
    """Return the counts of the full MIMIC-III beside those found, one line each."""
    lines = [f"{'':28} {'expected':>9} {'found':>9}"]
    for (task, what), splits in EXPECTED.items():
        numbers = found[f"{task} {what}"]
        lines += [
            f"{f'{task}, {split}, {what}':28} {splits[split]:>9} {numbers[split]:>9}"
            + ("" if numbers[split] == splits[split] else "  differs")
            for split in SPLITS
        ]
    return "\n".join(lines)


def check_counts(task: str, found: dict[str, dict[str, int]], full: bool, allow_mismatch: bool) -> bool:
    """Compare one task with the counts of the full MIMIC-III, where the input is that.

    Returns:
        ``full``: whether there was something to compare.

    Raises:
        UserError: the counts differ and ``allow_mismatch`` is False; the message has a table.
    """
    differs = [key for key in EXPECTED if key[0] == task and found[" ".join(key)] != EXPECTED[key]]
    if full and differs and not allow_mismatch:
        raise UserError(
            f"The full MIMIC-III gives other counts than published:\n{count_table(found)}\nCompare the tables "
            "with PhysioNet's checksums, or set risk.mimic3.allow_count_mismatch: true; what has been prepared is "
            "kept."
        )
    return full


def require_splits(stays: pl.DataFrame, task: str) -> None:
    """Refuse a task with an empty split.

    Raises:
        UserError: it names the empty ones.
    """
    refuse(_empty_splits(stays, task), EMPTY)


def _require_a_task(stays: pl.DataFrame) -> None:
    """Refuse stays that neither task can use; of a task that will lack a split only tell."""
    empty = {task: _empty_splits(stays, task) for task in ("mortality", "phenotyping")}
    if all(empty.values()):
        refuse([one for found in empty.values() for one in found], EMPTY)
    for one in (one for found in empty.values() for one in found):
        print(f"This task cannot be built: {one}")


def _empty_splits(stays: pl.DataFrame, task: str) -> list[str]:
    there = stays.filter(f"{task}_task")["split"].unique().to_list()
    return [f"{task}: no stay in '{split}'." for split in SPLITS if split not in there]
