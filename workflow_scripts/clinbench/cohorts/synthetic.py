"""A seeded synthetic cohort in the layout of mimic3-benchmarks, written as files and read back like them.

A hidden severity drives vital signs, how often they are charted, and death; since the true risk of
every stay is known, so is the best AUROC any model can reach (``bayes_auroc``).
"""

from pathlib import Path

import numpy as np
import polars as pl
from sklearn.metrics import roc_auc_score

from clinbench.cohorts.benchmark_folder import MORTALITY, read_task
from clinbench.cohorts.channels import NAMES
from clinbench.cohorts.charting import chart
from clinbench.cohorts.simulation import Ward, simulate_ward
from clinbench.cohorts.tensors import SPLITS, Cohort
from clinbench.errors import UserError
from clinbench.files import read_json, write_json

TITLE = "Synthetic ICU"
ACCESS = "open"
SYNTHETIC = True
GENERATED = True
TASKS = ["mortality"]
DATA = {}
OPTIONS = {
    "stays": {
        "type": "integer",
        "minimum": 20,
        "maximum": 200000,
        "default": 2000,
        "description": "Number of ICU stays of 48 hours; about 70/15/15 % go to train/val/test by patient.",
    },
    "seed": {
        "type": "integer",
        "minimum": 0,
        "default": 0,
        "description": "Seed of all randomness; the same seed writes the same bytes.",
    },
    "mortality": {
        "type": "number",
        "exclusiveMinimum": 0,
        "exclusiveMaximum": 1,
        "default": 0.135,
        "description": "Mean true probability of death in hospital, a share (benchmark: 0.135).",
    },
    "two_stays": {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "default": 0.1,
        "description": "Share of patients who have a second stay.",
    },
    "attention": {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 100,
        "default": 1.0,
        "description": "Factor on the odds that a channel is charted in an hour; 1 gives about the "
        "benchmark's rates, less makes the data sparser.",
    },
}
FRACTIONS = (0.70, 0.15, 0.15)
FIRST_PATIENT = 900001  # beyond the patient numbers of MIMIC-III


def generate(options: dict, folder: Path) -> dict:
    """Write the cohort's files below ``folder``; a caller who needs all or nothing uses ``atomic_folder``.

    Args:
        options: any of ``OPTIONS``; the rest take their defaults.
        folder: where ``in-hospital-mortality/`` and ``cohort.json`` go.

    Returns:
        What ``cohort.json`` holds: options, counts, ``bayes_auroc`` of all stays and ``bayes_auroc_test``;
        an AUROC is None where only one class occurs.

    Raises:
        UserError: ``folder`` already has a cohort, whose stays would mix with the new ones.
    """
    if (folder / MORTALITY.folder).exists():
        raise UserError(f"{folder}: there is a cohort in it already; delete it or choose another folder.")
    options = {name: schema["default"] for name, schema in OPTIONS.items()} | options
    rng = np.random.default_rng(options["seed"])
    ward = simulate_ward(options["stays"], options["mortality"], options["two_stays"], rng)
    charted = chart(ward, options["attention"], rng)
    split = _split_by_patient(ward.patient, rng)
    test = split == "test"
    summary = {
        "options": options,
        "stays": len(ward.died),
        "patients": int(ward.patient.max() + 1),
        "rows": charted.height,
        "deaths": int(ward.died.sum()),
        "bayes_auroc": _auroc(ward.died, ward.risk),
        "bayes_auroc_test": _auroc(ward.died[test], ward.risk[test]),
    }
    _write_task(folder / MORTALITY.folder, ward, charted, split, rng.permutation(len(split)))
    write_json(folder / "cohort.json", summary)
    return summary


def load(data: dict[str, Path], options: dict, generated: Path | None) -> dict[str, Cohort]:
    """Read a generated folder; ``Cohort.info`` also has all that ``generate`` returned, as ``generated``.

    Raises:
        UserError: nothing has been generated there.
    """
    if generated is None or not (Path(generated) / "cohort.json").is_file():
        raise UserError(
            f"{generated}: no synthetic cohort there (cohort.json is missing); generate it first."
        )
    cohort = read_task(Path(generated), MORTALITY)
    cohort.info["generated"] = read_json(Path(generated) / "cohort.json")
    return {"mortality": cohort}


def _split_by_patient(patient: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the split of each stay, (N,) str; all stays of a patient go together."""
    patients = patient.max() + 1
    ends = np.round(np.cumsum(FRACTIONS) * patients)
    place = np.searchsorted(ends, np.arange(patients), side="right")
    return np.array(SPLITS)[rng.permutation(place)[patient]]


def _auroc(died: np.ndarray, risk: np.ndarray) -> float | None:
    return float(roc_auc_score(died, risk)) if 0 < died.sum() < len(died) else None


def _write_task(
    folder: Path, ward: Ward, charted: pl.DataFrame, split: np.ndarray, order: np.ndarray
) -> None:
    """Write one CSV per stay and the list files, whose rows follow ``order`` since nothing may rely on it."""
    names = [
        f"{FIRST_PATIENT + patient}_episode{episode}_timeseries.csv"
        for patient, episode in zip(ward.patient.tolist(), ward.episode.tolist(), strict=True)
    ]
    for half in ("train", "test"):
        (folder / half).mkdir(parents=True)
    text = charted.select((pl.col("minute") / 60).alias("Hours"), *NAMES).write_csv(include_header=False)
    lines = text.splitlines(keepends=True)
    header = ",".join(["Hours", *NAMES]) + "\n"
    ends = np.searchsorted(charted["stay"].to_numpy(), np.arange(len(names)), side="right")
    for name, part, start, end in zip(names, split, [0, *ends[:-1]], ends, strict=True):
        half = "test" if part == "test" else "train"
        (folder / half / name).write_bytes((header + "".join(lines[start:end])).encode())
    for part in SPLITS:
        listed = [f"{names[i]},{int(ward.died[i])}\n" for i in order if split[i] == part]
        (folder / f"{part}_listfile.csv").write_bytes(("stay,y_true\n" + "".join(listed)).encode())
