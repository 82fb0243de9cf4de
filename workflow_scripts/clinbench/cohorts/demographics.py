"""Age, sex, ethnicity, height and weight of stays, from the benchmark's episode files.

Source: specification risk.md §1.7. An episode file also holds outcomes (length of stay, death,
diagnoses); only the five columns named here are ever looked at.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.archives import Member
from clinbench.cohorts.channels import NAMES
from clinbench.cohorts.csv_stack import Stack, stack_csv
from clinbench.cohorts.discretiser import EPSILON
from clinbench.cohorts.episodes import Events
from clinbench.cohorts.normaliser import FLOOR
from clinbench.errors import refuse

COLUMNS = ("Ethnicity", "Gender", "Age", "Height", "Weight")
ETHNICITIES = (
    *("other or unknown", "Asian", "Black or Caribbean", "Hispanic or South American"),
    "White, Middle Eastern or Portuguese",
)
GENDERS = ("missing", "female", "male", "other")
STATIC_FEATURES = [
    *(f"Ethnicity->{text}" for text in ETHNICITIES),
    *(f"Gender->{text}" for text in GENDERS),
    *("Age", "Height", "Weight"),  # years, cm, kg
]
FIRST_NUMBER = STATIC_FEATURES.index("Age")
ASSUMED = (60.0, 160.0, 60.0)  # age, height and weight of a stay whose file lacks them
OLDEST = 89.0  # years; older patients' ages are shifted in MIMIC-III and count as 90
CHUNK = 2000


def episode_file(root: Path, stay: str, split: str) -> Path:
    """Return the episode file of ``<patient>_episode<k>_timeseries.csv``; validation lives in ``train``."""
    patient, episode = stay.split("_")[:2]
    return root / ("test" if split == "test" else "train") / patient / f"{episode}.csv"


def all_episode_files(root: Path) -> list[Path]:
    """List every episode file below ``root``, of stays of any length, sorted."""
    files = (file for half in ("train", "test") for file in (root / half).glob("*/episode*.csv"))
    return sorted(file for file in files if not file.stem.endswith("_timeseries"))


def read_demographics(files: Sequence[Path]) -> tuple[np.ndarray, np.ndarray]:
    """Read episode files; age is capped, nothing else is filled in.

    Returns:
        (N, 5) float64, columns ``COLUMNS``, NaN where a field is empty; (N,) bool, files with a header only.

    Raises:
        UserError: a file is missing or has several rows, a code is unknown or a number cannot be read.
    """
    refuse((f"{file}: no such file." for file in files if not file.is_file()), "Episode files are missing:")
    parts = [_read_chunk(files[start : start + CHUNK]) for start in range(0, len(files), CHUNK)]
    raw, empty = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    return raw, empty


def encode(raw: np.ndarray, empty: np.ndarray) -> np.ndarray:
    """Return the 12 dimensions ``STATIC_FEATURES`` of (N, 5) raw values, not yet standardised.

    A missing code is category 0; missing age, height and weight are 60 years, 160 cm and 60 kg; a file
    with a header only (``empty``) gives 12 zeros.
    """
    codes = np.nan_to_num(raw[:, :2]).astype(np.int64)
    numbers = np.where(np.isnan(raw[:, 2:]), ASSUMED, raw[:, 2:])
    ethnicity, gender = np.eye(len(ETHNICITIES))[codes[:, 0]], np.eye(len(GENDERS))[codes[:, 1]]
    return np.where(empty[:, None], 0.0, np.concatenate([ethnicity, gender, numbers], axis=1))


def count_missing(raw: np.ndarray, empty: np.ndarray) -> dict[str, int]:
    """Count stays whose file has no row, and among the others those without each column."""
    missing = np.isnan(raw[~empty]).sum(axis=0).tolist()
    named = {f"without_{name.lower()}": count for name, count in zip(COLUMNS, missing, strict=True)}
    return {"without_row": int(empty.sum()), **named}


def first_values(events: Events, channel: str, until: np.ndarray) -> np.ndarray:
    """Return each stay's first value of a channel no later than hour ``until`` (N,), NaN where none."""
    values = events.values[:, NAMES.index(channel)]
    stay = np.repeat(np.arange(len(until)), np.diff(events.offsets))
    rows = np.flatnonzero(~np.isnan(values) & (events.hours <= until[stay] + EPSILON))
    stays, first = np.unique(stay[rows], return_index=True)
    found = np.full(len(until), np.nan)
    found[stays] = values[rows[first]]
    return found


def fit_scaling(vectors: np.ndarray) -> dict:
    """Measure mean and population standard deviation (1 where there is none) of age, height and weight."""
    numbers = vectors[:, FIRST_NUMBER:]
    stds = numbers.std(axis=0)
    return {
        "features": STATIC_FEATURES[FIRST_NUMBER:],
        "means": numbers.mean(axis=0).tolist(),
        "stds": np.where(stds > FLOOR, stds, 1.0).tolist(),
        "stays": len(vectors),
    }


def scale(vectors: np.ndarray, state: dict) -> np.ndarray:
    """Return (N, 12) float32 with age, height and weight standardised by ``fit_scaling``'s state."""
    out = vectors.copy()
    out[:, FIRST_NUMBER:] = (out[:, FIRST_NUMBER:] - state["means"]) / state["stds"]
    return out.astype(np.float32)


def _read_chunk(files: Sequence[Path]) -> tuple[np.ndarray, np.ndarray]:
    """Return (n, 5) raw values and (n,) whether a file has a header only."""
    stack = stack_csv([Member(file.name, str(file), file.read_bytes()) for file in files], COLUMNS)
    texts = [stack.frame[name].str.strip_chars() for name in COLUMNS]
    values = np.stack([_numbers(text) for text in texts], axis=1)
    written = np.stack([(text.fill_null("") != "").to_numpy() for text in texts], axis=1)
    refuse(_problems(stack, values, written), "Episode files that cannot be used:")
    values[:, 2] = np.where(values[:, 2] > OLDEST, OLDEST + 1, values[:, 2])
    raw = np.full((len(files), len(COLUMNS)), np.nan)
    raw[stack.file] = values
    empty = np.ones(len(files), dtype=bool)
    empty[stack.file] = False
    return raw, empty


def _numbers(texts: pl.Series) -> np.ndarray:
    values = texts.cast(float, strict=False).fill_null(float("nan")).to_numpy().copy()
    values[~np.isfinite(values)] = np.nan
    return values


def _problems(stack: Stack, values: np.ndarray, written: np.ndarray) -> Iterator[str]:
    for row in np.flatnonzero(np.diff(stack.file, prepend=-1) == 0):
        yield f"{stack.place(row)}: a second row; an episode file describes one stay in one row."
    for column, choices in ((0, ETHNICITIES), (1, GENDERS)):
        wrong = written[:, column] & ~np.isin(values[:, column], range(len(choices)))
        listed = ", ".join(f"{code} ({text})" for code, text in enumerate(choices))
        for row in np.flatnonzero(wrong):
            yield f"{stack.field(row, COLUMNS[column])} is not one of {listed}."
    for column in (2, 3, 4):
        for row in np.flatnonzero(written[:, column] & np.isnan(values[:, column])):
            yield f"{stack.field(row, COLUMNS[column])} is not a number, nor nothing for a missing value."
