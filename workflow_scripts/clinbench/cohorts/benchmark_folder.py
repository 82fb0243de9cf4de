"""Read a folder in the layout of mimic3-benchmarks into a cohort.

Source: specification risk.md §1.1-1.6 (Harutyunyan et al., Sci Data 2019). Where the original readers
rely on column order and list order, this one goes by names.
"""

from collections import Counter
from pathlib import Path

import numpy as np

from clinbench.archives import Member
from clinbench.cohorts import normaliser
from clinbench.cohorts.channels import FEATURES, NAMES, REAL_FEATURES, STARTS
from clinbench.cohorts.discretiser import discretise
from clinbench.cohorts.episodes import read_episodes
from clinbench.cohorts.listfiles import Listing, Task, read_listing, task_folder
from clinbench.cohorts.tensors import SPLITS, Cohort
from clinbench.progress import progress

MORTALITY = Task(folder="in-hospital-mortality", labels=("y_true",), hours=48.0)
CHUNK = 2000  # stays parsed together; bounds the memory for their text


def read_task(root: Path, task: Task = MORTALITY, clip: bool = False, impute: str = "previous") -> Cohort:
    """Read all stays of one task: 76 features per hour, the 12 real ones standardised on train hours.

    Args:
        root: folder that holds the task's folder, or that folder itself.
        task: which task, by default in-hospital mortality after 48 hours.
        clip: whether the channels' plausible limits are applied (the published experiments did not).
        impute: imputation of hours without a value, see ``discretise``.

    Returns:
        A cohort with stays sorted by name; labels (N,) for one label column, else (N, C).

    Raises:
        UserError: see ``read_listing`` and ``read_episodes``; a patient in two splits.
    """
    folder = task_folder(Path(root), task)
    listing = read_listing(folder, task)
    values, lengths, counts, ignored = _read_stays(listing, clip, impute)
    train = np.repeat(listing.split == "train", lengths)
    state = normaliser.fit(values[train], FEATURES, REAL_FEATURES)
    masks = values[:, STARTS[-1] :].mean(axis=0, dtype=np.float64)
    info = {
        "stays": {split: int((listing.split == split).sum()) for split in SPLITS},
        **counts,
        "files_not_listed": _unlisted(folder, listing),
        "columns_ignored": ignored,
        "observed_share_of_hours": dict(zip(NAMES, masks.round(4).tolist(), strict=True)),
        "imputation": impute,
        "clip": clip,
        "normaliser": state,
    }
    return Cohort(
        values=normaliser.apply(values, FEATURES, state),
        offsets=np.concatenate([[0], np.cumsum(lengths)]),
        labels=listing.labels[:, 0] if len(task.labels) == 1 else listing.labels,
        stays=listing.stays,
        patients=listing.patients,
        split=listing.split,
        features=FEATURES,
        info=info,
    )


def _read_stays(
    listing: Listing, clip: bool, impute: str
) -> tuple[np.ndarray, np.ndarray, dict[str, int], dict[str, int]]:
    """Return hourly features (ΣT, 76), hours per stay (N,), counts of oddities, ignored columns."""
    features: list[np.ndarray] = []
    lengths: list[np.ndarray] = []
    counts: Counter[str] = Counter()
    ignored: Counter[str] = Counter()
    for start in progress(range(0, len(listing.files), CHUNK), f"reading {CHUNK} stays at a time"):
        files = listing.files[start : start + CHUNK]
        events = read_episodes([Member(file.name, str(file), file.read_bytes()) for file in files], clip)
        ends = listing.ends[start : start + CHUNK]
        hourly = discretise(events.hours, events.values, events.offsets, ends, impute=impute)
        features.append(hourly.features)
        lengths.append(np.diff(hourly.offsets))
        counts.update({**events.counts, "rows_after_end": hourly.late_rows})
        ignored.update(events.ignored)
    return np.concatenate(features), np.concatenate(lengths), dict(counts), dict(ignored)


def _unlisted(folder: Path, listing: Listing) -> int:
    """Count time-series files on disk that no list file names."""
    there = {path.name for split in ("train", "test") for path in (folder / split).glob("*_timeseries.csv")}
    return len(there - set(listing.stays.tolist()))
