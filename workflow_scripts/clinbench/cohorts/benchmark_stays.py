"""A user's folder of ``*_timeseries.csv`` in the features of a trained benchmark cohort."""

from pathlib import Path

import numpy as np

from clinbench.archives import Member
from clinbench.cohorts import demographics
from clinbench.cohorts.benchmark_folder import TASKS, read_series
from clinbench.cohorts.channels import FEATURES
from clinbench.cohorts.csv_stack import stack_csv
from clinbench.cohorts.listfiles import STAY
from clinbench.cohorts.new_stays import NewStays, read_list
from clinbench.cohorts.normaliser import apply
from clinbench.errors import UserError

SUFFIX = "_timeseries.csv"


def read_benchmark_stays(folder: Path, info: dict, task: str) -> NewStays:
    """Read time series in the benchmark's format, scaled as the trained cohort was.

    A ``listfile.csv`` beside them, if there is one, chooses the stays and may have their labels and
    ``period_length``; without it every series counts, up to hour 48 for mortality, else up to its last row.
    If the model knows demographics, they come from ``<stay>.csv`` beside ``<stay>_timeseries.csv`` or from
    the benchmark's ``root/``; where neither is, they are taken as missing, and counted.

    Args:
        folder: where the series are.
        info: ``Cohort.info`` of the cohort the model was trained on.
        task: mortality or phenotyping.

    Raises:
        UserError: no series there; see ``read_list`` and ``read_episodes``.
    """
    folder = Path(folder)
    there = sorted(file.name for file in folder.glob(f"*{SUFFIX}"))
    if not there:
        raise UserError(f"{folder}: no files '<stay>{SUFFIX}' in it; point at the folder that has them.")
    listed = read_list(folder, set(there), TASKS[task].labels)
    stays = sorted(listed.stays) if listed else there
    files = [folder / stay for stay in stays]
    if TASKS[task].hours:
        ends = np.full(len(stays), TASKS[task].hours)
    elif listed and listed.hours is not None:
        given = dict(zip(listed.stays, listed.hours.tolist(), strict=True))
        ends = np.array([given[stay] for stay in stays])
    else:
        ends = _last_hours(files)
    read = read_series(files, ends, info["clip"], info["imputation"])
    statics, unknown = _statics(folder, stays, read.body, info["demographics"])
    return NewStays(
        values=apply(read.features, FEATURES, info["normaliser"]),
        offsets=np.concatenate([[0], np.cumsum(read.lengths)]),
        statics=statics,
        stays=np.array(stays, dtype=np.str_),
        hours=ends,
        labels=listed.labels_of(stays) if listed else None,
        features=FEATURES,
        static_features=demographics.STATIC_FEATURES if info["demographics"] else [],
        info={
            "stays": len(stays),
            **read.counts,
            "files_not_listed": len(there) - len(stays),
            "columns_ignored": read.ignored,
            "stays_without_demographics": unknown,
        },
    )


def _last_hours(files: list[Path]) -> np.ndarray:
    """Return the time of each file's last row in hours, at least 1, (N,)."""
    stack = stack_csv([Member(file.name, str(file), file.read_bytes()) for file in files], ["Hours"])
    hours = stack.frame["Hours"].cast(float, strict=False).fill_null(float("nan")).to_numpy()
    ends = np.ones(len(files))
    np.fmax.at(ends, stack.file, np.where(np.isfinite(hours), hours, np.nan))
    return ends


def _statics(
    folder: Path, stays: list[str], body: np.ndarray, trained: dict | None
) -> tuple[np.ndarray, int]:
    """Return (N, 12) demographics scaled as in training, or (N, 0), and for how many stays none are known."""
    if not trained:
        return np.zeros((len(stays), 0), dtype=np.float32), len(stays)
    places = [_episode_file(folder, stay) for stay in stays]
    known = np.array([place is not None for place in places])
    raw = np.full((len(stays), len(demographics.COLUMNS)), np.nan)
    empty = np.zeros(len(stays), dtype=bool)
    if known.any():
        raw[known], empty[known] = demographics.read_demographics([place for place in places if place])
    if trained["height_weight"] == "first_48_hours":
        raw[:, -2:] = body
    return demographics.scale(demographics.encode(raw, empty), trained["normaliser"]), int((~known).sum())


def _episode_file(folder: Path, stay: str) -> Path | None:
    places = [folder / f"{stay.removesuffix(SUFFIX)}.csv"]
    if STAY.fullmatch(stay):
        places += [
            demographics.episode_file(folder.resolve().parent.parent / "root", stay, half)
            for half in ("train", "test")
        ]
    return next((place for place in places if place.is_file()), None)
