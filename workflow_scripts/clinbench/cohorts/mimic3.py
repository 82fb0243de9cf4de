"""MIMIC-III from its raw tables: death in hospital after 48 hours, and 25 phenotypes of whole stays.

The stays, series, labels and splits of mimic3-benchmarks (Harutyunyan et al., Sci Data 2019); where that
benchmark has slips, an option says whether they are repeated or put right (specification risk.md §1.9).
"""

from pathlib import Path

import polars as pl

from clinbench.cohorts.benchmark_stays import read_benchmark_stays
from clinbench.cohorts.mimic.prepare import prepare
from clinbench.cohorts.mimic.resources import download, read_resources
from clinbench.cohorts.mimic.tasks import require_credentialed
from clinbench.cohorts.mimic.tensors import load_task
from clinbench.cohorts.new_stays import NewStays
from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError

TITLE = "MIMIC-III"
ACCESS = "credentialed"
SYNTHETIC = False
GENERATED = False
PREPARED = True
TASKS = ["mortality", "phenotyping"]
# Options of the pass over the raw tables; a change of another one repeats only the tensors.
PREPARING = [
    "ties",
    "specimens",
    "fio2",
    "ages_over_89",
    "diagnoses",
    "diagnosis_flags",
    "gcs_spellings",
    "write_benchmark_folders",
]
PRIVATE_FOLDERS = ["write_benchmark_folders"]  # options that name a folder row-level files go to
DATA = {
    "mimic3": "Folder with PATIENTS, ADMISSIONS, ICUSTAYS, DIAGNOSES_ICD, D_ICD_DIAGNOSES, CHARTEVENTS, LABEVENTS "
    "and OUTPUTEVENTS as .csv, .csv.gz or .csv.xz; publisher: PhysioNet, "
    "https://physionet.org/content/mimiciii/1.4/ (credentialed) or "
    "https://physionet.org/content/mimiciii-demo/1.4/ (open, 100 patients; with access: open); "
    "licence: PhysioNet Credentialed Health Data License 1.5.0, the demo ODbL 1.0."
}
OPTIONAL_DATA = {
    "mimic3_resources": "Folder with itemid_to_variable_map.csv, hcup_ccs_2015_definitions.yaml, testset.csv and "
    "valset.csv of mimic3-benchmarks (MIT licence); null downloads them from its repository, checked by SHA-256."
}
EXCLUDES_DATA = {"mimic3": "mimic3_benchmark"}
OPTIONS = {
    "ties": {
        "enum": ["number", "text"],
        "default": "number",
        "presets": {"reference": "text"},
        "description": "Which of several values of one variable at one time is taken: the greatest number or coma "
        "score, or for heart rate, respiratory rate, mean pressure and coma scales the last as text (8 after 13).",
    },
    "specimens": {
        "enum": ["blood", "any"],
        "default": "blood",
        "presets": {"reference": "any"},
        "description": "Whether laboratory glucose and pH of urine and other fluids count as those of blood.",
    },
    "fio2": {
        "enum": ["above_one", "all"],
        "default": "above_one",
        "presets": {"reference": "all"},
        "description": "Which inspired oxygen fractions are percentages: those above 1, or all whose unit is not torr.",
    },
    "ages_over_89": {
        "enum": ["capped", "shifted"],
        "default": "capped",
        "presets": {"reference": "shifted"},
        "description": "Age in the folders of patients over 89: 90, or the some 300 years of de-identification. "
        "As a model's input it is always 90.",
    },
    "diagnoses": {
        "enum": ["all", "dictionary"],
        "default": "all",
        "presets": {"reference": "dictionary"},
        "description": "Whether diagnoses whose code D_ICD_DIAGNOSES lacks make labels.",
    },
    "diagnosis_flags": {
        "enum": ["exact", "numbers_lost"],
        "default": "exact",
        "presets": {"reference": "numbers_lost"},
        "description": "Whether the 128 diagnosis flags of the folders are lost for patients all of whose codes are "
        "digits. No model reads them.",
    },
    "gcs_spellings": {
        "enum": ["keep", "merge"],
        "default": "keep",
        "description": "Whether the spellings of one coma state (To Pain, 2 To pain) become one.",
    },
    "clip": {
        "type": "boolean",
        "default": False,
        "description": "Whether values outside a variable's outlier limits go missing and those outside its valid "
        "limits move to these. The benchmark has the limits and never applies them.",
    },
    "impute": {
        "enum": ["previous", "next", "normal_value", "zero"],
        "default": "previous",
        "description": "What fills an hour without a value.",
    },
    "normaliser": {
        "enum": ["train", "train_val"],
        "default": "train",
        "presets": {"reference": "train_val"},
        "description": "Whose hours scale the 12 real features.",
    },
    "normaliser_state": {
        "type": ["string", "null"],
        "default": None,
        "description": "File with a state of the reference (.normalizer) used instead; only plain data are read "
        "from it.",
    },
    "height_weight": {
        "enum": ["first_48_hours", "episode_file"],
        "default": "first_48_hours",
        "presets": {"reference": "episode_file"},
        "description": "Which height and weight describe a stay: the first of its first 48 hours, or of its "
        "whole series.",
    },
    "demographics_scaling": {
        "enum": ["train", "all"],
        "default": "train",
        "presets": {"reference": "all"},
        "description": "What scales age, height and weight: the task's training stays, or all stays, tested ones "
        "too.",
    },
    "write_benchmark_folders": {
        "type": ["string", "null"],
        "minLength": 1,
        "default": None,
        "description": "Folder to write root/, in-hospital-mortality/ and phenotyping/ to, as mimic3-benchmarks "
        "has them; must be new, empty or written by this.",
    },
    "allow_count_mismatch": {
        "type": "boolean",
        "default": False,
        "description": "Whether to go on if the full MIMIC-III does not give the published numbers of stays.",
    },
}


def prepare_cohort(data: dict[str, Path], options: dict, folder: Path, is_open: bool = False) -> dict:
    """Read the raw tables once for both tasks; ``options`` are those ``PREPARING`` names, see ``prepare``."""
    place = data.get("mimic3_resources")
    resources = read_resources(Path(place) if place else download(Path(folder) / "resources"))
    return prepare(Path(data["mimic3"]), resources, options, Path(folder), is_open)


def check_access(patients: int, is_open: bool) -> None:
    """Refuse to treat the full MIMIC-III as open data, see ``require_credentialed``."""
    require_credentialed(patients, is_open)


def load(data: dict[str, Path], options: dict, generated: Path | None, task: str) -> Cohort:
    """Build the tensors of one task from what ``prepare_cohort`` wrote to ``generated``.

    Raises:
        UserError: nothing has been prepared there, or see ``load_task``.
    """
    if generated is None or not (Path(generated) / "cohort.json").is_file():
        raise UserError(f"{generated}: MIMIC-III has not been prepared there (cohort.json is missing).")
    return load_task(Path(generated), task, options)


def units(prepared: Path) -> dict[str, str]:
    """Return the care unit of each stay, by its name, from what ``prepare_cohort`` wrote."""
    stays = pl.read_parquet(Path(prepared) / "stays.parquet", columns=["name", "last_careunit"])
    return {name: unit for name, unit in stays.iter_rows() if unit}


def read_stays(folder: Path, info: dict, options: dict, task: str) -> NewStays:
    """Read a user's folder of time series as the cohort that ``info`` describes was read."""
    return read_benchmark_stays(folder, info, task)
