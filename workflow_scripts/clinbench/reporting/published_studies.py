"""What a paper reports of its data and chosen models, beside its metrics."""

from functools import lru_cache
from pathlib import Path

import yaml

from clinbench.reporting.names import canonical

FILE = Path(__file__).with_name("published_studies.yaml")


def of_data(table: str, dataset: str, task: str, split: str) -> dict | None:
    """Return published counts or lengths of one split, for the data set they were published of only.

    Args:
        table: "cohort_statistics" or "stay_lengths".
        dataset, task, split: as in the rows of that table.
    """
    if canonical(dataset) not in _paper()["datasets"]:
        return None
    return _paper()[table].get(task, {}).get(split)


def chosen(task: str, model: str, system: str) -> dict:
    """Return the published setting of a row, ``scr_weight``, ``batch_size``, ``epoch``, ``scores``, or {}.

    It holds for the paper's data set, and is meant to be read beside the setting found on any.
    """
    return _paper()["selected_settings"].get(task, {}).get(canonical(model), {}).get(canonical(system), {})


def source() -> str:
    """Name the publication."""
    return _paper()["source"]


@lru_cache(maxsize=1)
def _paper() -> dict:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))
