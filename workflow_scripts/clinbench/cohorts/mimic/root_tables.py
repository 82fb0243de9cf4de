"""The tables of the benchmark's ``root`` folder: stays, diagnoses, labels, episodes."""

import csv
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.cohorts.mimic.diagnoses import FLAGS, diagnosis_flags
from clinbench.cohorts.mimic.lines import TIMES, csv_lines, header, lines_by

STAY_COLUMNS = (
    *("subject_id", "hadm_id", "icustay_id", "last_careunit", "dbsource", "intime", "outtime", "los"),
    *("admittime", "dischtime", "deathtime", "ethnicity", "diagnosis", "gender", "dob", "dod", "age"),
    *("mortality_inunit", "mortality", "mortality_inhospital"),
)
DIAGNOSIS_COLUMNS = (
    *("subject_id", "hadm_id", "seq_num", "icd9_code", "short_title", "long_title", "icustay_id"),
)
EPISODE_HEADER = (
    *("Icustay", "Ethnicity", "Gender", "Age", "Height", "Weight", "Length of Stay", "Mortality"),
    *(f"Diagnosis {code}" for code in FLAGS),
)
GENDERS = {"F": 1, "M": 2}  # 0 missing, 3 other
ETHNICITIES = {
    **{"ASIAN": 1, "BLACK": 2, "CARIBBEAN ISLAND": 2, "HISPANIC": 3, "SOUTH AMERICAN": 3},
    **{"WHITE": 4, "MIDDLE EASTERN": 4, "PORTUGUESE": 4},  # all else is 0, other or unknown
}


def encode_demographics(stays: pl.DataFrame) -> pl.DataFrame:
    """Return ``ethnicity_code`` (0-4) and ``gender_code`` (0-3) of stays (specification risk.md §1.7)."""
    group = pl.col("ethnicity").fill_null("").str.replace_all(" OR ", "/", literal=True)
    for mark in (" - ", "/"):
        group = group.str.split(mark).list.first()
    gender = pl.col("gender").replace_strict(GENDERS, default=3, return_dtype=pl.Int8)
    return stays.select(
        group.replace_strict(ETHNICITIES, default=0, return_dtype=pl.Int8).alias("ethnicity_code"),
        pl.when(pl.col("gender").fill_null("") == "").then(0).otherwise(gender).alias("gender_code"),
    )


def write_tables(root: Path, stays: pl.DataFrame, diagnoses: pl.DataFrame, phenotypes: list[str]) -> None:
    """Write ``all_stays.csv``, ``all_diagnoses.csv``, ``diagnosis_counts.csv`` and ``phenotype_labels.csv``."""
    _as_stays(stays).write_csv(root / "all_stays.csv")
    diagnoses.select(DIAGNOSIS_COLUMNS).rename(str.upper).write_csv(root / "all_diagnoses.csv")
    titles = ["icd9_code", "short_title", "long_title"]
    counts = diagnoses.group_by(titles, maintain_order=True).agg(pl.len().alias("count"))
    counts.rename(str.upper).write_csv(root / "diagnosis_counts.csv")
    labels = np.array(stays.sort("icustay_id")["labels"].to_list(), dtype=np.int64)
    present = [i for i in range(len(phenotypes)) if labels[:, i].any()]
    with open(root / "phenotype_labels.csv", "w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerow([phenotypes[i] for i in present])
        writer.writerows(labels[:, present].tolist())


def write_patients(root: Path, stays: pl.DataFrame, diagnoses: pl.DataFrame, exact_flags: bool) -> None:
    """Write each patient's ``stays.csv`` and ``diagnoses.csv``, and each stay's ``episode{k}.csv``."""
    halves = dict(stays.select("subject_id", "split").iter_rows())
    places = {one: root / ("test" if half == "test" else "train") / str(one) for one, half in halves.items()}
    listed = _as_stays(stays.sort("subject_id", "intime"))
    marked = diagnoses.select(
        *DIAGNOSIS_COLUMNS, pl.col("group").alias("hcup_ccs_2015"), pl.col("used").alias("use_in_benchmark")
    ).rename(str.upper)
    marked = marked.sort("SUBJECT_ID", "ICUSTAY_ID", "SEQ_NUM", maintain_order=True)
    for place in places.values():
        (place / "diagnoses.csv").write_text(header(marked))
    for name, frame in (("stays.csv", listed), ("diagnoses.csv", marked)):
        for patient, text in lines_by(frame, "SUBJECT_ID"):
            (places[patient] / name).write_bytes((header(frame) + text).encode())
    _write_episodes(places, stays, diagnosis_flags(diagnoses, stays, exact_flags))


def _write_episodes(places: dict[int, Path], stays: pl.DataFrame, flags: np.ndarray) -> None:
    first = ",".join(EPISODE_HEADER) + "\n"
    codes = encode_demographics(stays)
    facts = stays.hstack(codes).select(
        *("icustay_id", "ethnicity_code", "gender_code", "age", "height", "weight", "los", "mortality"),
    )
    marks = stays.select("subject_id", "episode", "has_series", "has_row").iter_rows()
    for (patient, episode, has_series, has_row), line, row in zip(
        marks, csv_lines(facts), flags, strict=True
    ):
        if has_series:
            content = line.rstrip("\n") + "," + ",".join(map(str, row.tolist())) + "\n" if has_row else ""
            (places[patient] / f"episode{episode}.csv").write_text(first + content, encoding="utf-8")


def _as_stays(stays: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of ``all_stays.csv``; dates of birth and death without their midnight."""
    dates = [
        name
        for name in ("dob", "dod")
        if stays[name].drop_nulls().is_in(stays[name].drop_nulls().dt.truncate("1d").implode()).all()
    ]
    times = [name for name in STAY_COLUMNS if stays.schema[name] == pl.Datetime and name not in dates]
    return (
        stays.select(STAY_COLUMNS)
        .with_columns(
            *(pl.col(name).dt.to_string("%Y-%m-%d") for name in dates),
            *(pl.col(name).dt.to_string(TIMES) for name in times),
        )
        .rename(str.upper)
    )
