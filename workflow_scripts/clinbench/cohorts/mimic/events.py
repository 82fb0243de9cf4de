"""Events of the cohort's stays: validated as the benchmark does, cut to the 17 variables, kept as Parquet.

One pass over each event table in blocks, so memory does not grow with the table.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from clinbench.cohorts.mimic.resources import Resources
from clinbench.cohorts.mimic.tables import EVENTS, read_frames
from clinbench.errors import UserError
from clinbench.progress import progress

PART = 4_000_000  # events of the 17 variables worked on together; bounds the memory
# Texts the reference's CSV reader takes for missing; "None" is none of them, it is a state of the eyes.
MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
    *("N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
)
KEPT = ["subject_id", "hadm_id", "icustay_id", "charttime", "itemid", "value", "valueuom"]


def ingest_events(
    tables: dict[str, Path], stays: pl.DataFrame, resources: Resources, folder: Path, sink=None
) -> dict[str, int]:
    """Write the events of the 17 variables to ``folder/events/*.parquet``.

    An event counts if its admission is one of the stays'; an empty ICUSTAY_ID is filled in from the
    admission, another stay's drops the event (specification risk.md §1.9).

    Args:
        tables: file of each event table.
        stays: cohort, with ``subject_id``, ``hadm_id``, ``icustay_id``.
        resources: the item map.
        folder: where the Parquet files go.
        sink: function called with each block of valid events of all items, or None.

    Returns:
        Counts: events of the cohort's patients, those dropped by each rule, those recovered, those left.

    Raises:
        UserError: a table cannot be read, or no event is one of the cohort's stays and the 17 variables.
    """
    counts: Counter[str] = Counter()
    waiting, height, parts = [], 0, 0
    (folder / "events").mkdir(parents=True)
    for block in _valid_blocks(tables, stays, counts):
        if sink is not None:
            sink(block)
        mapped = _mapped(block, resources.items, counts)
        waiting.append(mapped)
        height += mapped.height
        if height >= PART:
            parts, waiting, height = _flush(waiting, folder, parts), [], 0
    _flush(waiting, folder, parts)
    if not counts["events_valid"]:
        raise UserError(
            f"None of the {counts['events_of_patients']} events of the cohort's patients belongs to one of its "
            "stays. Are the event tables and ICUSTAYS of the same database?"
        )
    if not counts["events_kept"]:
        raise UserError(
            f"None of the {counts['events_valid']} events of the cohort's stays is a timed value of one of the 17 "
            "variables. Are itemid_to_variable_map.csv and the event tables of the same database?"
        )
    return dict(counts)


def read_parts(folder: Path) -> Iterator[pl.DataFrame]:
    """Yield the ingested events in parts of whole patients, in ascending order of patient."""
    events = pl.scan_parquet(folder / "events" / "*.parquet")
    sizes = events.group_by("subject_id").agg(pl.len().alias("events")).sort("subject_id").collect()
    share = (sizes["events"].cum_sum() - 1) // PART
    parts = sizes.with_columns(part=share).group_by("part", maintain_order=True)
    bounds = parts.agg(pl.col("subject_id").min().alias("first"), pl.col("subject_id").max().alias("last"))
    for _, first, last in progress(list(bounds.iter_rows()), "building episodes, parts done"):
        yield events.filter(pl.col("subject_id").is_between(first, last)).collect()


def _valid_blocks(
    tables: dict[str, Path], stays: pl.DataFrame, counts: Counter[str]
) -> Iterator[pl.DataFrame]:
    """Yield the valid events block by block, ICUSTAY_ID filled in."""
    patients = stays["subject_id"].unique().implode()
    places = stays.select("subject_id", "hadm_id", pl.col("icustay_id").alias("stay"))
    for name in EVENTS:
        frames = read_frames(name, tables[name])
        for block, _ in progress(frames, f"{name}, blocks of 16 MB", share=lambda frame: frame[1]):
            counts["rows_read"] += block.height
            block = block.filter(pl.col("subject_id").is_in(patients))
            if "icustay_id" not in block.columns:
                block = block.with_columns(icustay_id=pl.lit(None, dtype=pl.Int64))
            yield _validated(block, places, counts)


def _validated(block: pl.DataFrame, places: pl.DataFrame, counts: Counter[str]) -> pl.DataFrame:
    counts["events_of_patients"] += block.height
    counts["events_without_admission"] += block["hadm_id"].null_count()
    block = block.filter(pl.col("hadm_id").is_not_null())
    found = block.join(places, on=["subject_id", "hadm_id"], how="inner", maintain_order="left")
    counts["events_of_other_admissions"] += block.height - found.height
    counts["icustay_ids_recovered"] += found["icustay_id"].null_count()
    right = found.filter(pl.col("icustay_id").is_null() | (pl.col("icustay_id") == pl.col("stay")))
    counts["events_of_other_stays"] += found.height - right.height
    counts["events_valid"] += right.height
    return right.with_columns(icustay_id=pl.col("stay")).select(KEPT)


def _mapped(block: pl.DataFrame, items: pl.DataFrame, counts: Counter[str]) -> pl.DataFrame:
    """Keep the events of the 17 variables that have a time and a value."""
    mapped = block.join(items.select("itemid"), on="itemid", how="semi")
    kept = mapped.filter(pl.col("value").is_not_null() & ~pl.col("value").is_in(MISSING))
    counts["events_of_the_17_variables"] += mapped.height
    counts["events_without_value"] += mapped.height - kept.height
    timed = kept.filter(pl.col("charttime").is_not_null())
    counts["events_without_time"] += kept.height - timed.height
    counts["events_kept"] += timed.height
    return timed.drop("hadm_id")


def _flush(waiting: list[pl.DataFrame], folder: Path, parts: int) -> int:
    if waiting:
        pl.concat(waiting).sort("subject_id", maintain_order=True).write_parquet(
            folder / "events" / f"{parts:05}.parquet", compression="lz4"
        )
    return parts + 1
