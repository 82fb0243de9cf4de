"""All of MIMIC-III's raw tables to typed episodes in one pass, for both tasks."""

import shutil
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from clinbench.cohorts.channels import NAMES
from clinbench.cohorts.discretiser import EPSILON
from clinbench.cohorts.mimic import folders
from clinbench.cohorts.mimic.cells import Resolved, count_changes, resolve
from clinbench.cohorts.mimic.diagnoses import diagnoses_of_stays, diagnosis_flags, phenotype_labels
from clinbench.cohorts.mimic.events import ingest_events, read_parts
from clinbench.cohorts.mimic.resources import Resources
from clinbench.cohorts.mimic.stays import count_capped, select_stays
from clinbench.cohorts.mimic.tables import EVENTS, find_tables, read_table
from clinbench.cohorts.mimic.tasks import (
    add_candidates,
    add_tasks,
    count_table,
    count_tasks,
    is_full,
    require_credentialed,
    spans_of,
)
from clinbench.cohorts.mimic.timeseries import Series, build_series
from clinbench.files import require_space, write_json

EXPANSION = {".gz": 8, ".xz": 14}  # how many times smaller compressed event tables are
EPISODES, FOLDERS = 0.1, 1.5  # bytes written for each byte of the tables


def prepare(source: Path, resources: Resources, options: dict, folder: Path, is_open: bool = False) -> dict:
    """Read the raw tables and write ``episodes/*.parquet``, ``stays.parquet`` and ``cohort.json``.

    Args:
        source: folder with the tables.
        resources: item map, groups and splits.
        options: of the plug-in ``mimic3``, those that ``PREPARING`` names.
        folder: where the files go.
        is_open: whether the results are going to be treated as open data.

    Returns:
        What ``cohort.json`` holds: the funnel, counts of events, cells that switches changed, sizes of the tasks.

    Raises:
        UserError: see ``find_tables``, ``select_stays``, ``add_candidates``, ``ingest_events``; open full data.
    """
    target = options["write_benchmark_folders"]
    tables = _checked(source, folder, target)
    frames = {name: read_table(name, path) for name, path in tables.items() if name not in EVENTS}
    selected = (frames[name] for name in ("ICUSTAYS", "ADMISSIONS", "PATIENTS"))
    stays, funnel = select_stays(*selected, options["ages_over_89"])
    patients = stays["subject_id"].n_unique()
    require_credentialed(patients, is_open)
    diagnoses, notes = _diagnoses(frames, stays, resources, options)
    stays = add_candidates(stays, diagnoses.filter("known")["icustay_id"].unique(), resources)
    writer = _writer(folder, stays, resources, tables) if target else None
    events = ingest_events(tables, stays, resources, folder, writer.keep_events if writer else None)
    built = _build(folder, stays, resources, options, writer)
    stays = add_tasks(stays, built.spans)
    stays = stays.join(built.bodies, on="icustay_id", how="left", maintain_order="left")
    sizes, full = count_tasks(stays), is_full(patients)
    if full:
        print(count_table(sizes))
    stays = stays.with_columns(_labels(diagnoses, stays, resources, options))
    stays.write_parquet(folder / "stays.parquet")
    summary = {
        "funnel": funnel,
        "events": events,
        "cells": dict(built.counts),
        "changed_against_the_reference": built.changes | notes,
        "sizes": sizes,
        "full_data": full,
        "official_resources": resources.official,
        "patients_not_in_the_split_lists": len({*stays["subject_id"].to_list()} - resources.listed),
        "options": {name: value for name, value in options.items() if name != "write_benchmark_folders"},
    }
    write_json(folder / "cohort.json", summary)
    if writer:
        writer.finish(stays, counted(diagnoses, options), options, Path(target))
    return summary


def _checked(source: Path, folder: Path, target: str | None) -> dict[str, Path]:
    """Return the tables' files after all checks that can be made before the work."""
    if target:
        folders.require_target(Path(target))
    tables = find_tables(source)
    size = sum(path.stat().st_size * EXPANSION.get(path.suffix.lower(), 1) for path in tables.values())
    require_space(folder, int(size * EPISODES), "the episodes of MIMIC-III")
    if target:
        require_space(folder, int(size * FOLDERS), "the benchmark's folders and what is sorted for them")
    return tables


def _writer(folder: Path, stays: pl.DataFrame, resources: Resources, tables: dict) -> folders.Writer:
    size = sum(tables[name].stat().st_size for name in EVENTS)
    return folders.Writer(folder / "folders", stays, resources, size)


def counted(diagnoses: pl.DataFrame, options: dict) -> pl.DataFrame:
    """Return the diagnoses that make labels and flags."""
    return diagnoses.filter("known") if options["diagnoses"] == "dictionary" else diagnoses


def _diagnoses(
    frames: dict[str, pl.DataFrame], stays: pl.DataFrame, resources: Resources, options: dict
) -> tuple[pl.DataFrame, dict]:
    """Return the stays' diagnoses, and what the switches about stays and diagnoses change."""
    found = diagnoses_of_stays(frames["DIAGNOSES_ICD"], frames["D_ICD_DIAGNOSES"], stays, resources)
    ids, notes = stays["icustay_id"].to_list(), {}
    if options["ages_over_89"] == "capped":
        notes["ages_over_89"] = {"cells": count_capped(stays), "stays": count_capped(stays)}
    if options["diagnoses"] == "all":
        both = [phenotype_labels(part, ids, resources.phenotypes) for part in (found, found.filter("known"))]
        notes["diagnoses"] = _difference(*both)
    if options["diagnosis_flags"] == "exact":
        both = [diagnosis_flags(found.filter("known"), stays, exact) for exact in (True, False)]
        notes["diagnosis_flags"] = _difference(*both)
    return found, notes


def _difference(ours: np.ndarray, theirs: np.ndarray) -> dict[str, int]:
    differs = ours != theirs
    return {"cells": int(differs.sum()), "stays": int(differs.any(axis=1).sum())}


class _Built(NamedTuple):
    """What the pass over the events found: of stays their spans and first height and weight, and counts."""

    spans: pl.DataFrame
    bodies: pl.DataFrame
    counts: Counter[str]
    changes: dict[str, Counter[str]]


def _build(
    folder: Path, stays: pl.DataFrame, resources: Resources, options: dict, writer: folders.Writer | None
) -> _Built:
    """Turn the ingested events into episodes, some patients at a time."""
    built = _Built([], [], Counter(), {})
    for number, part in enumerate(read_parts(folder)):
        events = part.join(resources.items, on="itemid", how="left", maintain_order="left")
        resolved = resolve(events, options)
        series = build_series(resolved, stays, options["gcs_spellings"])
        found = count_changes(events, options)
        if options["gcs_spellings"] == "merge":
            found["gcs_spellings"] = Counter({"cells": series.respelled})
        for switch, count in found.items():
            built.changes.setdefault(switch, Counter()).update(count)
        built.counts.update(_counts(resolved, series, stays))
        built.spans.append(spans_of(series.rows, stays))
        built.bodies.append(_first_body(series))
        _write_part(series, folder, number)
        if writer:
            writer.write_series(series)
    shutil.rmtree(folder / "events")
    return built._replace(spans=pl.concat(built.spans), bodies=pl.concat(built.bodies))


def _counts(resolved: Resolved, series: Series, stays: pl.DataFrame) -> dict[str, int]:
    return {
        "events_unreadable": resolved.unreadable,
        "cells": resolved.cells.height,
        "times": len(series.values),
        "cells_unreadable": series.unreadable,
        "rows_of_stays": series.rows.height,
        "rows_without_value": int(np.isnan(series.values[series.rows["row"].to_numpy()]).all(axis=1).sum()),
        **_outside(series.rows, stays),
    }


def _outside(rows: pl.DataFrame, stays: pl.DataFrame) -> dict[str, int]:
    """Count rows that lie outside their stay or after death; the tasks cut the first two, nothing the last."""
    seconds = (pl.col("deathtime") - pl.col("intime")).dt.total_seconds()
    ends = stays.select("icustay_id", "los", (seconds / 3600.0).alias("death"))
    return rows.join(ends, on="icustay_id", how="left").select(
        (pl.col("hours") <= -EPSILON).sum().alias("rows_before_stay"),
        (pl.col("hours") >= 24.0 * pl.col("los") + EPSILON).sum().alias("rows_after_stay"),
        (pl.col("hours") > pl.col("death")).sum().alias("rows_after_death"),
    ).row(0, named=True)  # fmt: skip


def _write_part(series: Series, folder: Path, number: int) -> None:
    (folder / "episodes").mkdir(exist_ok=True)
    values = series.values[series.rows["row"].to_numpy()]
    wide = series.rows.drop("row").hstack(pl.DataFrame(values, schema=list(NAMES), nan_to_null=True))
    wide.write_parquet(folder / "episodes" / f"{number:05}.parquet", compression="lz4")


def _first_body(series: Series) -> pl.DataFrame:
    """Return the first height and weight of each stay's whole series, as the benchmark's episode files have."""
    values = series.values[series.rows["row"].to_numpy()]
    body = series.rows.select("icustay_id").with_columns(
        pl.Series(name.lower(), values[:, NAMES.index(name)], nan_to_null=True)
        for name in ("Height", "Weight")
    )
    return body.group_by("icustay_id", maintain_order=True).agg(
        pl.col("height", "weight").drop_nulls().first()
    )


def _labels(diagnoses: pl.DataFrame, stays: pl.DataFrame, resources: Resources, options: dict) -> pl.Series:
    """Return the phenotype labels of each stay as one list column."""
    chosen = counted(diagnoses, options)
    labels = phenotype_labels(chosen, stays["icustay_id"].to_list(), resources.phenotypes)
    return pl.Series("labels", labels)
