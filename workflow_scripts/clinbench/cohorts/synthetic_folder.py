"""Write a made-up ward in the folder layout of mimic3-benchmarks (specification risk.md §1.1-1.3, §1.7)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.cohorts.benchmark_folder import MORTALITY, PHENOTYPING
from clinbench.cohorts.channels import NAMES
from clinbench.cohorts.demographics import OLDEST
from clinbench.cohorts.listfiles import Task
from clinbench.cohorts.simulation import HORIZON, Ward
from clinbench.cohorts.tensors import SPLITS

FIRST_PATIENT = 900001  # beyond the patient numbers of MIMIC-III
SHIFTED = 211.2  # years that MIMIC-III adds to the age of patients over 89
EPISODE = ("Icustay", "Ethnicity", "Gender", "Age", "Height", "Weight", "Length of Stay", "Mortality")


def write_folder(
    folder: Path,
    ward: Ward,
    phenotypes: np.ndarray,
    charted: pl.DataFrame,
    split: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """Write both tasks and the episode files; rows of list files are shuffled since nothing may rely on them.

    Args:
        folder: where ``in-hospital-mortality/``, ``phenotyping/`` and ``root/`` go.
        ward: N stays.
        phenotypes: (N, 25) bool.
        charted: events as ``chart`` returns them.
        split: (N,) str.
        rng: source of the shuffling.
    """
    names = [
        f"{FIRST_PATIENT + patient}_episode{episode}"
        for patient, episode in zip(ward.patient.tolist(), ward.episode.tolist(), strict=True)
    ]
    order = rng.permutation(len(names))
    long = np.flatnonzero(ward.hours >= HORIZON)
    died = [f"{int(one)}" for one in ward.died]
    _write_task(
        folder, MORTALITY, names, charted.filter(pl.col("minute") <= 60 * HORIZON), split, long, order, died
    )
    labels = [",".join(row) for row in phenotypes.astype(int).astype(str).tolist()]
    fields = [f"{hours:.6f},{row}" for hours, row in zip(ward.hours, labels, strict=True)]
    _write_task(folder, PHENOTYPING, names, charted, split, np.arange(len(names)), order, fields)
    _write_episodes(folder / "root", ward, names, charted, split)


def _write_task(
    folder: Path,
    task: Task,
    names: Sequence[str],
    charted: pl.DataFrame,
    split: np.ndarray,
    chosen: np.ndarray,
    order: np.ndarray,
    fields: Sequence[str],
) -> None:
    """Write the time series of the chosen stays, and list files with what follows each stay's name."""
    folder = folder / task.folder
    for half in ("train", "test"):
        (folder / half).mkdir(parents=True)
    text = charted.select((pl.col("minute") / 60).alias("Hours"), *NAMES).write_csv(include_header=False)
    lines = text.splitlines(keepends=True)
    header = ",".join(["Hours", *NAMES]) + "\n"
    ends = np.searchsorted(charted["stay"].to_numpy(), np.arange(len(names) + 1))
    for i in chosen:
        file = folder / _half(split[i]) / f"{names[i]}_timeseries.csv"
        file.write_bytes((header + "".join(lines[ends[i] : ends[i + 1]])).encode())
    wanted = np.isin(np.arange(len(names)), chosen)
    head = ",".join(["stay", *([] if task.hours else ["period_length"]), *task.labels]) + "\n"
    for part in SPLITS:
        listed = [f"{names[i]}_timeseries.csv,{fields[i]}\n" for i in order if wanted[i] and split[i] == part]
        (folder / f"{part}_listfile.csv").write_bytes((head + "".join(listed)).encode())


def _write_episodes(
    root: Path, ward: Ward, names: Sequence[str], charted: pl.DataFrame, split: np.ndarray
) -> None:
    """Write each stay's episode file: demographics, first height and weight of the stay, two outcomes."""
    first = charted.group_by("stay").agg(pl.col("Height", "Weight").drop_nulls().first())
    body = pl.DataFrame({"stay": np.arange(len(names))}).join(
        first, on="stay", how="left", maintain_order="left"
    )
    age = np.where(ward.age > OLDEST, ward.age + SHIFTED, ward.age).round(3)
    days = (ward.hours / 24).round(4)
    for i, (_, height, weight) in enumerate(body.iter_rows()):
        patient, episode = names[i].split("_")
        file = root / _half(split[i]) / patient / f"{episode}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        known = [ward.ethnicity[i], 1 if ward.female[i] else 2, age[i]]
        row = [FIRST_PATIENT + i, *known, height, weight, days[i], int(ward.died[i])]
        text = ",".join("" if field is None else str(field) for field in row)
        file.write_bytes((",".join(EPISODE) + f"\n{text}\n").encode())


def _half(split: str) -> str:
    return "test" if split == "test" else "train"
