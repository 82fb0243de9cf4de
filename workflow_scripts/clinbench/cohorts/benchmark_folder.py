"""Read a folder in the layout of mimic3-benchmarks into a cohort.

Source: specification risk.md §1.1-1.7 (Harutyunyan et al., Sci Data 2019). Where the original readers
rely on column order and list order, this one goes by names.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clinbench.archives import Member
from clinbench.cohorts import demographics, phenotypes
from clinbench.cohorts.channels import FEATURES, NAMES, REAL_FEATURES, STARTS
from clinbench.cohorts.demographics import first_values
from clinbench.cohorts.discretiser import discretise
from clinbench.cohorts.episodes import read_episodes
from clinbench.cohorts.listfiles import Listing, Task, read_listing, task_folder
from clinbench.cohorts.normaliser import apply, fit
from clinbench.cohorts.normaliser_state import read_state
from clinbench.cohorts.tensors import SPLITS, Cohort
from clinbench.errors import UserError
from clinbench.progress import progress

MORTALITY = Task(folder="in-hospital-mortality", labels=("y_true",), hours=48.0)
PHENOTYPING = Task(folder="phenotyping", labels=phenotypes.NAMES, hours=None)
TASKS = {"mortality": MORTALITY, "phenotyping": PHENOTYPING}
READING = ("clip", "impute", "normaliser", "demographics_scaling", "height_weight")  # options of read_task
CHUNK = 2000  # stays parsed together; bounds the memory for their text
BODY_HOURS = 48.0  # height and weight of later hours are not known when death is predicted
FITTED_ON = {"train": ("train",), "train_val": ("train", "val")}


def read_task(
    root: Path,
    task: Task = MORTALITY,
    clip: bool = False,
    impute: str = "previous",
    normaliser: str = "train",
    demographics_scaling: str = "train",
    height_weight: str = "first_48_hours",
    normaliser_state: str | None = None,
) -> Cohort:
    """Read all stays of one task: 76 features per hour, and demographics where ``root/`` is beside the task.

    Args:
        root: folder that holds the task's folder, or that folder itself.
        task: which task.
        clip: whether the channels' plausible limits are applied (the published experiments did not).
        impute: imputation of hours without a value, see ``discretise``.
        normaliser: whose hours scale the 12 real features, ``train`` or ``train_val``.
        demographics_scaling: what scales age, height and weight: training stays, or every episode file.
        height_weight: ``first_48_hours`` of the series, or ``episode_file``: the first of the whole stay.
        normaliser_state: file with a state of the reference to scale with instead, see ``read_state``.
    Returns:
        A cohort with stays sorted by name; labels (N,) for one label column, else (N, C).

    Raises:
        UserError: see ``read_listing``, ``read_episodes`` and ``read_demographics``; a patient in two splits.
    """
    _check_choices(normaliser, demographics_scaling, height_weight)
    folder = task_folder(Path(root), task)
    listing = read_listing(folder, task)
    read = read_series(listing.files, listing.ends, clip, impute)
    if normaliser_state:
        state = read_state(Path(normaliser_state), REAL_FEATURES)
    else:
        fitted = np.repeat(np.isin(listing.split, FITTED_ON[normaliser]), read.lengths)
        state = fit(read.features[fitted], FEATURES, REAL_FEATURES)
    statics, static_info = _statics(folder, listing, read.body, demographics_scaling, height_weight)
    info = {
        "stays": {split: int((listing.split == split).sum()) for split in SPLITS},
        **read.counts,
        "files_not_listed": _unlisted(folder, listing),
        "columns_ignored": read.ignored,
        "observed_share_of_hours": read.observed,
        "imputation": impute,
        "clip": clip,
        "normaliser_fitted_on": normaliser,
        "normaliser": state,
        **static_info,
    }
    return _cohort(task, listing, read, statics, info)


def _check_choices(normaliser: str, scaling: str, height_weight: str) -> None:
    """Refuse a word that is none of an option's."""
    for name, value, choices in (
        ("normaliser", normaliser, tuple(FITTED_ON)),
        ("demographics_scaling", scaling, ("train", "all")),
        ("height_weight", height_weight, ("first_48_hours", "episode_file")),
    ):
        if value not in choices:
            raise UserError(f"{name}: '{value}' is not one of {', '.join(choices)}.")


def _cohort(task: Task, listing: Listing, read: "Series", statics: np.ndarray | None, info: dict) -> Cohort:
    """Put together what was read, standardised with ``info["normaliser"]``."""
    several = len(task.labels) > 1
    return Cohort(
        values=apply(read.features, FEATURES, info["normaliser"]),
        offsets=np.concatenate([[0], np.cumsum(read.lengths)]),
        labels=listing.labels if several else listing.labels[:, 0],
        stays=listing.stays,
        patients=listing.patients,
        split=listing.split,
        features=FEATURES,
        statics=statics,
        static_features=demographics.STATIC_FEATURES if statics is not None else [],
        label_names=list(task.labels) if several else [],
        info=info,
    )


@dataclass(frozen=True)
class Series:
    """Time series of N stays, not standardised.

    Attributes:
        features: (ΣT, 76) float32, hourly.
        lengths: (N,) int64, hours.
        body: (N, 2) float64, first height (cm) and weight (kg) of the first 48 hours, NaN where none.
        counts: how often each oddity was met.
        ignored: columns that are no channel, and in how many files.
    """

    features: np.ndarray
    lengths: np.ndarray
    body: np.ndarray
    counts: dict[str, int]
    ignored: dict[str, int]

    @property
    def observed(self) -> dict[str, float]:
        """Return the share of hours in which each channel was charted."""
        shares = self.features[:, STARTS[-1] :].mean(axis=0, dtype=np.float64)
        return dict(zip(NAMES, shares.round(4).tolist(), strict=True))


def read_series(files: list[Path], ends: np.ndarray, clip: bool, impute: str) -> Series:
    """Read and discretise time-series files up to each one's end, (N,) hours."""
    features: list[np.ndarray] = []
    lengths: list[np.ndarray] = []
    body: list[np.ndarray] = []
    counts: Counter[str] = Counter()
    ignored: Counter[str] = Counter()
    for start in progress(range(0, len(files), CHUNK), f"reading {CHUNK} stays at a time"):
        chunk = files[start : start + CHUNK]
        events = read_episodes([Member(file.name, str(file), file.read_bytes()) for file in chunk], clip)
        until = ends[start : start + CHUNK]
        hourly = discretise(events.hours, events.values, events.offsets, until, impute=impute)
        features.append(hourly.features)
        lengths.append(np.diff(hourly.offsets))
        known = np.minimum(until, BODY_HOURS)
        body.append(np.stack([first_values(events, name, known) for name in ("Height", "Weight")], axis=1))
        counts.update({**events.counts, "rows_after_end": hourly.late_rows})
        ignored.update(events.ignored)
    arrays = (np.concatenate(parts) for parts in (features, lengths, body))
    return Series(*arrays, dict(counts), dict(ignored))


def _statics(
    folder: Path, listing: Listing, body: np.ndarray, scaling: str, height_weight: str
) -> tuple[np.ndarray | None, dict]:
    """Return (N, 12) demographics, or None where no ``root/`` is beside the task's folder, and what was met."""
    root = folder.parent / "root"
    if not any((root / half).is_dir() for half in ("train", "test")):
        return None, {"stays_without_demographics": len(listing.stays), "demographics": None}
    places = zip(listing.stays.tolist(), listing.split.tolist(), strict=True)
    raw, empty = demographics.read_demographics([demographics.episode_file(root, *place) for place in places])
    if height_weight == "first_48_hours":
        raw[:, -2:] = body
    vectors = demographics.encode(raw, empty)
    measured = vectors[listing.split == "train"]
    if scaling == "all":
        measured = demographics.encode(*demographics.read_demographics(demographics.all_episode_files(root)))
    state = demographics.fit_scaling(measured)
    info = {
        **demographics.count_missing(raw, empty),
        "scaling": scaling,
        "height_weight": height_weight,
        "normaliser": state,
    }
    return demographics.scale(vectors, state), {"stays_without_demographics": 0, "demographics": info}


def _unlisted(folder: Path, listing: Listing) -> int:
    """Count time-series files on disk that no list file names."""
    there = {path.name for split in ("train", "test") for path in (folder / split).glob("*_timeseries.csv")}
    return len(there - set(listing.stays.tolist()))
