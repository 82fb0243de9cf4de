"""A seeded synthetic cohort in the layout of mimic3-benchmarks, written as files and read back like them.

A hidden severity drives vital signs, how often they are charted, and death; it and traits of the patients
drive 25 phenotypes. Since all true probabilities are known, so are the best AUROCs any model can reach.
"""

from pathlib import Path

import numpy as np

from clinbench.cohorts.benchmark_folder import MORTALITY, READING, read_task
from clinbench.cohorts.benchmark_folder import TASKS as BENCHMARK_TASKS
from clinbench.cohorts.benchmark_stays import read_benchmark_stays
from clinbench.cohorts.charting import chart
from clinbench.cohorts.diagnoses import auroc, bayes_aurocs, draw_phenotypes
from clinbench.cohorts.new_stays import NewStays
from clinbench.cohorts.simulation import HORIZON, simulate_ward
from clinbench.cohorts.synthetic_folder import write_folder
from clinbench.cohorts.tensors import SPLITS, Cohort
from clinbench.defaults import with_defaults
from clinbench.errors import UserError
from clinbench.files import read_json, write_json

TITLE = "Synthetic ICU"
ACCESS = "open"
SYNTHETIC = True
GENERATED = True
TASKS = ["mortality", "phenotyping"]
DATA = {}
OPTIONS = {
    "stays": {
        "type": "integer",
        "minimum": 20,
        "maximum": 200000,
        "default": 2000,
        "description": "Number of ICU stays of at least 48 hours, those of the mortality task; about as many "
        "shorter ones come on top for phenotyping. About 70/15/15 % go to train/val/test by patient.",
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
        "description": "Mean true probability of death in hospital of stays of at least 48 hours, a share "
        "(benchmark: 0.135).",
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
    "longest": {
        "type": "number",
        "exclusiveMinimum": 48,
        "maximum": 3000,
        "default": 400,
        "description": "Hours no stay exceeds. Lengths are log-normal as in the benchmark (mean 87, standard "
        "deviation 124, longest 2804), cut here to keep the data small; 400 drops the longest 2 %.",
    },
    "normaliser": {
        "enum": ["train", "train_val"],
        "default": "train",
        "presets": {"reference": "train_val"},
        "description": "Stays whose hours standardise the 12 real channels; the reference's include validation.",
    },
    "demographics_scaling": {
        "enum": ["train", "all"],
        "default": "train",
        "presets": {"reference": "all"},
        "description": "Stays that standardise age, height and weight: training stays of the task, or every "
        "episode file, test stays included.",
    },
    "height_weight": {
        "enum": ["first_48_hours", "episode_file"],
        "default": "first_48_hours",
        "presets": {"reference": "episode_file"},
        "description": "Where height and weight come from: the first value within 48 hours, or the episode "
        "file, whose value may be of a later hour than the prediction.",
    },
    "clip": {
        "type": "boolean",
        "default": False,
        "description": "Whether values beyond a channel's outlier limits count as missing and those beyond its "
        "valid limits move to them; the published experiments did not.",
    },
}
GENERATING = ("stays", "seed", "mortality", "two_stays", "attention", "longest")
FRACTIONS = (0.70, 0.15, 0.15)


def generate(options: dict, folder: Path) -> dict:
    """Write the cohort's files below ``folder``; a caller who needs all or nothing uses ``atomic_folder``.

    Args:
        options: any of ``OPTIONS``; the rest take their defaults.
        folder: where ``in-hospital-mortality/``, ``phenotyping/``, ``root/`` and ``cohort.json`` go.

    Returns:
        What ``cohort.json`` holds: options; of the mortality task its counts, ``bayes_auroc`` of all stays and
        ``bayes_auroc_test``; and under ``phenotyping`` the counts of that task and the best micro, macro and
        single AUROCs. An AUROC is None where only one class occurs.

    Raises:
        UserError: ``folder`` already has a cohort, whose stays would mix with the new ones.
    """
    if (folder / MORTALITY.folder).exists():
        raise UserError(f"{folder}: there is a cohort in it already; delete it or choose another folder.")
    options = {name: with_defaults(OPTIONS, options)[name] for name in GENERATING}
    rng = np.random.default_rng(options["seed"])
    drawn = (options[name] for name in ("stays", "mortality", "two_stays", "longest"))
    ward = simulate_ward(*drawn, rng)
    risk, phenotypes = draw_phenotypes(ward, rng)
    charted = chart(ward, options["attention"], rng)
    split = _split_by_patient(ward.patient, rng)
    long = ward.hours >= HORIZON
    tested = long & (split == "test")
    early = charted["minute"].to_numpy() <= 60 * HORIZON
    summary = {
        "options": options,
        "stays": int(long.sum()),
        "patients": len(np.unique(ward.patient[long])),
        "rows": int((early & long[charted["stay"].to_numpy()]).sum()),
        "deaths": int(ward.died[long].sum()),
        "bayes_auroc": auroc(ward.died[long], ward.risk[long]),
        "bayes_auroc_test": auroc(ward.died[tested], ward.risk[tested]),
        "phenotyping": {
            "stays": len(long),
            "patients": int(ward.patient.max() + 1),
            "rows": charted.height,
            **bayes_aurocs(phenotypes, risk),
            "test": bayes_aurocs(phenotypes[split == "test"], risk[split == "test"]),
        },
    }
    write_folder(folder, ward, phenotypes, charted, split, rng)
    write_json(folder / "cohort.json", summary)
    return summary


def load(data: dict[str, Path], options: dict, generated: Path | None, task: str) -> Cohort:
    """Read one task of a generated folder.

    ``Cohort.info`` also has all that ``generate`` returned, as ``generated``.

    Raises:
        UserError: nothing has been generated there.
    """
    if generated is None or not (Path(generated) / "cohort.json").is_file():
        raise UserError(
            f"{generated}: no synthetic cohort there (cohort.json is missing); generate it first."
        )
    options = with_defaults(OPTIONS, options)
    reading = {name: options[name] for name in READING if name in options}
    cohort = read_task(Path(generated), BENCHMARK_TASKS[task], **reading)
    cohort.info["generated"] = read_json(Path(generated) / "cohort.json")
    return cohort


def read_stays(folder: Path, info: dict, options: dict, task: str) -> NewStays:
    """Read a user's folder of time series as the cohort that ``info`` describes was read."""
    return read_benchmark_stays(folder, info, task)


def _split_by_patient(patient: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the split of each stay, (N,) str; all stays of a patient go together."""
    patients = patient.max() + 1
    ends = np.round(np.cumsum(FRACTIONS) * patients)
    place = np.searchsorted(ends, np.arange(patients), side="right")
    return np.array(SPLITS)[rng.permutation(place)[patient]]
