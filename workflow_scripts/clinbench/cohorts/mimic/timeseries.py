"""Cells to the time series of each ICU stay (specification risk.md §1.2, §1.9)."""

from typing import NamedTuple

import numpy as np
import polars as pl

from clinbench.cohorts.channels import CHANNELS, NAMES, parse
from clinbench.cohorts.mimic.cells import SCORES, Resolved

TIME = ["subject_id", "charttime"]
TEXTS = [name for name in NAMES if name.startswith("Glascow")] + [
    *("Heart Rate", "Mean blood pressure", "Respiratory rate"),
]
TUBE = "1.0 ET/Trach"  # nobody can answer through a tube: a state of its own
SPELLINGS = {text: texts[0] for levels in SCORES.values() for texts in levels for text in texts[1:]}
SPELLINGS |= {TUBE: TUBE, "No Response-ETT": TUBE}


class Series(NamedTuple):
    """Time series of some patients' stays.

    Attributes:
        rows: one row a stay and time, sorted by patient, episode and hour: ``icustay_id``, ``hours`` since
            INTIME (float64, those before and after the stay included), ``row`` of ``values``.
        values: (R, 17) float64, numbers or category indices, NaN where not measured; a row of other fluids alone
            has none where only blood counts.
        texts: seven variables of R rows as they are written, null where not measured.
        unreadable: cells whose text is no value of its variable.
        respelled: cells whose coma state has been given its first spelling.
    """

    rows: pl.DataFrame
    values: np.ndarray
    texts: pl.DataFrame
    unreadable: int
    respelled: int


def build_series(resolved: Resolved, stays: pl.DataFrame, spellings: str) -> Series:
    """Lay cells out as rows and give them to stays.

    A row belongs to the stay its events name, and to any other stay of the patient whose time it falls into.

    Args:
        resolved: cells and visits of some patients.
        stays: cohort, with ``subject_id``, ``icustay_id``, ``episode``, ``intime``, ``outtime``.
        spellings: ``keep``, or ``merge`` the several spellings of one coma state.
    """
    cells, respelled = resolved.cells, 0
    if spellings == "merge":
        coma = pl.col("variable").is_in([NAMES.index(name) for name in SCORES])
        merged = pl.when(coma).then(pl.col("text").replace(SPELLINGS)).otherwise("text")
        respelled = cells.filter(merged != pl.col("text")).height
        cells = cells.with_columns(merged.alias("text"))
    times = resolved.visits.select(TIME).unique(maintain_order=True).with_row_index("row")
    cells = cells.join(times, on=TIME, how="left", maintain_order="left")
    values, unreadable = _values(cells, times.height)
    return Series(_rows(resolved.visits, times, stays), values, _texts(cells, times), unreadable, respelled)


def _values(cells: pl.DataFrame, height: int) -> tuple[np.ndarray, int]:
    values = np.full((height, len(NAMES)), np.nan)  # refill rates 0 and 1 are their categories' indices
    unreadable = 0
    for (variable,), part in cells.group_by("variable"):
        numbers = part["number"].to_numpy()
        if NAMES[variable] in TEXTS:
            numbers = parse(CHANNELS[variable], part["text"])
            unreadable += int(np.isnan(numbers).sum())
        values[part["row"].to_numpy(), variable] = numbers
    return values, unreadable


def _texts(cells: pl.DataFrame, times: pl.DataFrame) -> pl.DataFrame:
    written = times.select("row")
    for name in TEXTS:
        one = cells.filter(pl.col("variable") == NAMES.index(name)).select("row", pl.col("text").alias(name))
        written = written.join(one, on="row", how="left", maintain_order="left")
    return written.drop("row")


def _rows(visits: pl.DataFrame, times: pl.DataFrame, stays: pl.DataFrame) -> pl.DataFrame:
    places = stays.select("subject_id", pl.col("icustay_id").alias("stay"), "episode", "intime", "outtime")
    inside = pl.col("charttime").is_between("intime", "outtime")
    seconds = (pl.col("charttime") - pl.col("intime")).dt.total_seconds()
    return (
        visits.join(times, on=TIME, how="inner")
        .join(places, on="subject_id", how="inner")
        .filter((pl.col("icustay_id") == pl.col("stay")) | inside)
        .with_columns((seconds / 60.0 / 60.0).alias("hours"))
        .sort("subject_id", "episode", "hours", "icustay_id")
        .select(pl.col("stay").alias("icustay_id"), "hours", "row")
    )
