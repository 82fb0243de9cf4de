"""A folder that mimic3-benchmarks has written, read as it is: death in hospital, and 25 phenotypes."""

from pathlib import Path

from clinbench.cohorts.benchmark_folder import TASKS as FOLDERS
from clinbench.cohorts.benchmark_folder import read_task
from clinbench.cohorts.benchmark_stays import read_benchmark_stays
from clinbench.cohorts.mimic.tasks import require_credentialed
from clinbench.cohorts.new_stays import NewStays
from clinbench.cohorts.tensors import Cohort

TITLE = "MIMIC-III"
ACCESS = "credentialed"
SYNTHETIC = False
GENERATED = False
TASKS = ["mortality", "phenotyping"]
DATA = {
    "mimic3_benchmark": "Folder with in-hospital-mortality/ and phenotyping/ (and root/ for demographics) written by "
    "mimic3-benchmarks, https://github.com/YerevaNN/mimic3-benchmarks, from the credentialed MIMIC-III."
}
EXCLUDES_DATA = {"mimic3_benchmark": "mimic3"}
OPTIONS = {
    "clip": {
        "type": "boolean",
        "default": False,
        "description": "Whether values outside a variable's outlier limits go missing and those outside its valid "
        "limits move to these.",
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
}


def load(data: dict[str, Path], options: dict, generated: Path | None, task: str) -> Cohort:
    """Read one task; see ``read_task``."""
    return read_task(Path(data["mimic3_benchmark"]), FOLDERS[task], **options)


def check_access(patients: int, is_open: bool) -> None:
    """Refuse to treat the full MIMIC-III as open data, see ``require_credentialed``."""
    require_credentialed(patients, is_open)


def read_stays(folder: Path, info: dict, options: dict, task: str) -> NewStays:
    """Read a user's folder of time series as the cohort that ``info`` describes was read."""
    return read_benchmark_stays(folder, info, task)
