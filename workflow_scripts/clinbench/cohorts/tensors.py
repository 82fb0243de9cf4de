"""The cohort: hourly features of many stays in one ragged array, with labels and splits."""

import hashlib
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from clinbench.errors import UserError, refuse
from clinbench.files import atomic_path

SPLITS = ("train", "val", "test")
ARRAYS = ("values", "offsets", "statics", "labels", "stays", "patients", "split")

PER_STAY = ("statics", "labels", "stays", "patients", "split")
NAMES = ("features", "static_features", "label_names")


@dataclass(frozen=True, eq=False)
class Cohort:
    """ICU stays of one prediction task; hour h of stay i is ``values[offsets[i] + h]``.

    Attributes:
        values: (ΣT, F) float32, finite, standardised where the source says so.
        offsets: (N + 1,) int64, from 0 to ΣT, strictly increasing (no stay without hours).
        labels: (N,) or (N, C) float32, 0 or 1.
        stays: (N,) str, unique; also the key of prediction files.
        patients: (N,) str; a patient has stays in one split only.
        split: (N,) str, each of ``SPLITS``.
        features: F names.
        statics: (N, S) float32, what is known of a stay beside its series, such as age; S = 0 if nothing is.
        static_features: S names.
        label_names: C names, with (N, C) labels.
        info: JSON-able counts of what was read, dropped and found odd.

    Raises:
        UserError: any of the above does not hold; all breaches are listed.
    """

    values: np.ndarray
    offsets: np.ndarray
    labels: np.ndarray
    stays: np.ndarray
    patients: np.ndarray
    split: np.ndarray
    features: list[str]
    statics: np.ndarray | None = None
    static_features: list[str] = field(default_factory=list)
    label_names: list[str] = field(default_factory=list)
    info: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.statics is None:
            object.__setattr__(self, "statics", np.zeros((len(self.stays), 0)))
        types = {"values": np.float32, "offsets": np.int64, "statics": np.float32, "labels": np.float32}
        for name in ARRAYS:
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=types.get(name, np.str_)))
        for name in NAMES:
            object.__setattr__(self, name, [str(one) for one in getattr(self, name)])
        refuse(_shape_problems(self), "The arrays of a cohort do not fit together:")
        refuse(_content_problems(self), "The cohort cannot be used:")

    def __len__(self) -> int:
        """Return the number of stays."""
        return len(self.stays)

    @property
    def lengths(self) -> np.ndarray:
        """Return the hours of each stay, (N,) int64."""
        return np.diff(self.offsets)

    def save(self, path: str | Path) -> None:
        """Write an uncompressed npz atomically, without pickled objects."""
        notes = {name: np.array(json.dumps(getattr(self, name))) for name in (*NAMES, "info")}
        with atomic_path(path) as temporary, open(temporary, "wb") as handle:
            np.savez(handle, **{name: getattr(self, name) for name in ARRAYS}, **notes)

    @classmethod
    def load(cls, path: str | Path) -> "Cohort":
        """Read a file written by ``save``.

        Raises:
            UserError: the file is missing, cut off or not a cohort.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                notes = {name: json.loads(str(stored[name])) for name in (*NAMES, "info")}
                return cls(**{name: stored[name] for name in ARRAYS}, **notes)
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise UserError(
                f"{path}: not a readable cohort file ({error}). Delete it and run the workflow again."
            ) from error

    def select(self, split: str) -> "Cohort":
        """Return the stays of one split, in the same order.

        Raises:
            UserError: no such split.
        """
        if split not in SPLITS:
            raise UserError(f"No split '{split}'; there are {', '.join(SPLITS)}.")
        return self.keep(self.split == split)

    def keep(self, chosen: np.ndarray) -> "Cohort":
        """Return the chosen stays, (N,) bool, in the same order."""
        lengths = self.lengths
        return Cohort(
            values=self.values[np.repeat(chosen, lengths)],
            offsets=np.concatenate([[0], np.cumsum(lengths[chosen])]),
            features=self.features,
            static_features=self.static_features,
            label_names=self.label_names,
            info=self.info,
            **{name: getattr(self, name)[chosen] for name in PER_STAY},
        )

    def fingerprint(self) -> dict:
        """Return counts and a SHA-256 of all content (not of ``info``); no ids, so it may be shared.

        ``positives`` is a number, or with (N, C) labels a list of C numbers.
        """
        digest = hashlib.sha256(json.dumps([self.features, self.static_features]).encode())
        for name in ARRAYS:
            array = getattr(self, name)
            text = array.dtype.kind == "U"
            digest.update(f"{name}{array.shape}".encode())
            digest.update(json.dumps(array.tolist()).encode() if text else np.ascontiguousarray(array))
        return {
            "stays": len(self),
            "patients": len(np.unique(self.patients)),
            "hours": len(self.values),
            "features": len(self.features),
            "positives": _positives(self.labels),
            "splits": {
                name: {
                    "stays": int((self.split == name).sum()),
                    "positives": _positives(self.labels[self.split == name]),
                }
                for name in SPLITS
            },
            "sha256": digest.hexdigest(),
        }


def _positives(labels: np.ndarray) -> int | list[int]:
    return labels.sum(axis=0, dtype=np.int64).tolist()


def _shape_problems(cohort: Cohort) -> list[str]:
    stays = len(cohort.stays)
    found = [
        f"{name} has shape {getattr(cohort, name).shape}, ({stays},) was expected."
        for name in ("patients", "split")
        if getattr(cohort, name).shape != (stays,)
    ]
    if cohort.values.ndim != 2 or cohort.values.shape[1] != len(cohort.features):
        found.append(f"values has shape {cohort.values.shape} but there are {len(cohort.features)} features.")
    if cohort.statics.shape != (stays, len(cohort.static_features)):
        found.append(
            f"statics has shape {cohort.statics.shape}, ({stays}, {len(cohort.static_features)}) was expected."
        )
    if cohort.labels.ndim not in (1, 2) or len(cohort.labels) != stays:
        found.append(f"labels has shape {cohort.labels.shape} but there are {stays} stays.")
    if cohort.label_names and cohort.labels.shape[1:] != (len(cohort.label_names),):
        found.append(f"labels has shape {cohort.labels.shape} but there are {len(cohort.label_names)} names.")
    if cohort.offsets.shape != (stays + 1,):
        found.append(f"offsets has shape {cohort.offsets.shape}, ({stays + 1},) was expected.")
    elif cohort.offsets[0] != 0 or cohort.offsets[-1] != len(cohort.values):
        found.append(
            f"offsets run from {cohort.offsets[0]} to {cohort.offsets[-1]}, not 0 to {len(cohort.values)}."
        )
    return found


def _content_problems(cohort: Cohort) -> list[str]:
    found = [
        f"Stay '{cohort.stays[i]}' has no hours; leave it out."
        for i in np.flatnonzero(np.diff(cohort.offsets) <= 0)
    ]
    names, counts = np.unique(cohort.stays, return_counts=True)
    found += [f"Stay '{name}' occurs twice; keep one." for name in names[counts > 1]]
    found += [
        f"Unknown split '{name}'; there are {', '.join(SPLITS)}."
        for name in {*cohort.split.tolist()} - {*SPLITS}
    ]
    pairs = sorted({*zip(cohort.patients.tolist(), cohort.split.tolist(), strict=True)})
    found += [
        f"Patient '{one[0]}' has stays in both {one[1]} and {two[1]}; split by patient."
        for one, two in zip(pairs, pairs[1:], strict=False)
        if one[0] == two[0]
    ]
    if bad := sorted({*cohort.labels[~np.isin(cohort.labels, (0, 1))].tolist()}):
        found.append(f"Labels must be 0 or 1; found {bad[:5]}.")
    for names, values in ((cohort.features, cohort.values), (cohort.static_features, cohort.statics)):
        finite = np.isfinite(values).all(axis=0)
        found += [f"Feature '{names[i]}' holds NaN or infinite values." for i in np.flatnonzero(~finite)]
    return found
