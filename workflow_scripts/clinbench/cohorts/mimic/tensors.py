"""Typed episodes to the tensors of a task, some patients at a time.

The result equals reading the benchmark's folders with ``read_task``, stay by stay and bit by bit.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from clinbench.cohorts import demographics
from clinbench.cohorts.benchmark_folder import BODY_HOURS, FITTED_ON
from clinbench.cohorts.channels import FEATURES, NAMES, REAL_FEATURES, STARTS
from clinbench.cohorts.demographics import first_values
from clinbench.cohorts.discretiser import EPSILON, discretise
from clinbench.cohorts.episodes import Events, clip_values
from clinbench.cohorts.mimic.root_tables import encode_demographics
from clinbench.cohorts.mimic.tasks import HOURS, check_counts, require_splits
from clinbench.cohorts.normaliser import apply, fit
from clinbench.cohorts.normaliser_state import read_state
from clinbench.cohorts.tensors import SPLITS, Cohort
from clinbench.files import read_json
from clinbench.progress import progress


class Hourly(NamedTuple):
    """Stays of a task in the order of their names.

    Attributes:
        features: (ΣT, 76) float32, not standardised.
        lengths: (N,) int64, hours.
        body: (N, 2) float64, first height (cm) and weight (kg) of the first 48 hours, NaN where none.
        counts: how many values ``clip`` changed.
    """

    features: np.ndarray
    lengths: np.ndarray
    body: np.ndarray
    counts: dict[str, int]


def load_task(folder: Path, task: str, options: dict) -> Cohort:
    """Read what ``prepare`` wrote as one task's cohort; ``info`` also has its ``cohort.json``.

    Args:
        folder: where ``prepare`` wrote.
        task: ``mortality`` or ``phenotyping``.
        options: of the plug-in ``mimic3``, complete.

    Raises:
        UserError: a split is empty, the full MIMIC-III gave other counts than published, or the normaliser's state
            cannot be used.
    """
    prepared = read_json(folder / "cohort.json")
    checked = check_counts(task, prepared["sizes"], prepared["full_data"], options["allow_count_mismatch"])
    everyone = pl.read_parquet(folder / "stays.parquet")
    require_splits(everyone, task)
    stays = everyone.filter(f"{task}_task").sort("name")
    if task == "mortality":
        stays = stays.with_columns(pl.lit(HOURS).alias("end"))
    hourly = _discretised(folder, stays, options)
    split = stays["split"].to_numpy()
    state = _normaliser(hourly, split, options)
    statics, static_info = _statics(everyone, stays, hourly.body, options)
    masks = hourly.features[:, STARTS[-1] :].mean(axis=0, dtype=np.float64)
    labels = stays["mortality"].to_numpy() if task == "mortality" else np.array(stays["labels"].to_list())
    info = {
        "stays": {name: int((split == name).sum()) for name in SPLITS},
        **hourly.counts,
        "stays_without_a_value": _unmeasured(hourly),
        "counts_checked_against_the_full_data": checked,
        "observed_share_of_hours": dict(zip(NAMES, masks.round(4).tolist(), strict=True)),
        "clip": options["clip"],
        "imputation": options["impute"],
        "normaliser": state,
        "demographics": static_info,
        "prepared": prepared,
    }
    return Cohort(
        values=apply(hourly.features, FEATURES, state),
        offsets=np.concatenate([[0], np.cumsum(hourly.lengths)]),
        labels=labels,
        stays=stays["name"].to_numpy(),
        patients=stays["subject_id"].cast(str).to_numpy(),
        split=split,
        features=FEATURES,
        statics=statics,
        static_features=demographics.STATIC_FEATURES,
        info=info,
    )


def _discretised(folder: Path, stays: pl.DataFrame, options: dict) -> Hourly:
    """Discretise the task's stays part by part, then put them into the order of ``stays``."""
    features, lengths, body, order = [], [], [], []
    counts: Counter[str] = Counter()
    for events, part in _events_of(folder, stays):
        if options["clip"]:
            counts.update(clip_values(events.values))
        ends = part["end"].to_numpy()
        hourly = discretise(events.hours, events.values, events.offsets, ends, impute=options["impute"])
        features.append(hourly.features)
        lengths.append(np.diff(hourly.offsets))
        known = np.minimum(ends, BODY_HOURS)
        body.append(np.stack([first_values(events, name, known) for name in ("Height", "Weight")], axis=1))
        order.append(part["index"].to_numpy())
    places = np.argsort(np.concatenate(order))
    sizes = np.concatenate(lengths)
    firsts = np.concatenate([[0], np.cumsum(sizes)])[:-1][places]
    sizes = sizes[places]
    shift = np.repeat(firsts - np.concatenate([[0], np.cumsum(sizes)])[:-1], sizes)
    rows = np.arange(len(shift)) + shift
    return Hourly(np.concatenate(features)[rows], sizes, np.concatenate(body)[places], dict(counts))


def _events_of(folder: Path, stays: pl.DataFrame) -> Iterator[tuple[Events, pl.DataFrame]]:
    """Yield the events inside the stays, with the stays they are of (``index`` in ``stays``, ``end``)."""
    wanted = stays.select("icustay_id", "end").with_row_index("index")
    for file in progress(sorted((folder / "episodes").glob("*.parquet")), "discretising, parts done"):
        rows = pl.read_parquet(file).join(wanted, on="icustay_id", how="inner", maintain_order="left")
        rows = rows.filter((pl.col("hours") > -EPSILON) & (pl.col("hours") < pl.col("end") + EPSILON))
        part = rows.select("icustay_id", "index", "end").unique(maintain_order=True)
        if part.is_empty():
            continue
        sizes = rows.group_by("icustay_id", maintain_order=True).len()["len"].to_numpy().astype(np.int64)
        values = rows.select(NAMES).to_numpy().astype(np.float64)  # null becomes NaN
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        yield Events(rows["hours"].to_numpy(), np.array(values), offsets, {}, {}), part


def _unmeasured(hourly: Hourly) -> int:
    """Count stays that have none of the 17 variables in any hour, which imputation alone fills."""
    measured = hourly.features[:, STARTS[-1] :].any(axis=1)
    return int((np.bincount(np.repeat(np.arange(len(hourly.lengths)), hourly.lengths), measured) == 0).sum())


def _normaliser(hourly: Hourly, split: np.ndarray, options: dict) -> dict:
    if options["normaliser_state"]:
        return read_state(Path(options["normaliser_state"]), REAL_FEATURES)
    fitted = np.repeat(np.isin(split, FITTED_ON[options["normaliser"]]), hourly.lengths)
    return fit(hourly.features[fitted], FEATURES, REAL_FEATURES)


def _statics(
    everyone: pl.DataFrame, stays: pl.DataFrame, body: np.ndarray, options: dict
) -> tuple[np.ndarray, dict]:
    """Return (N, 12) demographics as from the benchmark's episode files, and what was missing."""
    raw, empty = _raw(stays)
    if options["height_weight"] == "first_48_hours":
        raw[:, -2:] = body
    vectors = demographics.encode(raw, empty)
    measured = vectors[(stays["split"] == "train").to_numpy()]
    if options["demographics_scaling"] == "all":
        measured = demographics.encode(*_raw(everyone.filter("has_series")))
    state = demographics.fit_scaling(measured)
    scaling = {"scaling": options["demographics_scaling"], "height_weight": options["height_weight"]}
    info = {**demographics.count_missing(raw, empty), **scaling, "normaliser": state}
    return demographics.scale(vectors, state), info


def _raw(stays: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return (N, 5) ethnicity, gender, age, height and weight, and (N,) stays without a row in their file."""
    numbers = stays.select("age", "height", "weight")
    oldest = demographics.OLDEST
    age = pl.when(pl.col("age") > oldest).then(oldest + 1).otherwise("age")
    raw = (
        encode_demographics(stays).hstack(numbers.with_columns(age.alias("age"))).cast(pl.Float64).to_numpy()
    )
    return np.array(raw), ~stays["has_row"].to_numpy()
