"""What a paper reports of its data and chosen models, beside its metrics."""

from functools import lru_cache
from pathlib import Path

import yaml

from clinbench.reporting.names import canonical
from clinbench.reporting.published import published

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


def search_sizes(task: str, model: str) -> tuple[int, int] | None:
    """Return how many trainings were compared for a row without SCR and for one with it, or None if not known."""
    sizes = _paper()["search_sizes"].get(task, {}).get(canonical(model))
    return (sizes["plain"], sizes["scr"]) if sizes else None


def epochs(task: str, model: str, system: str) -> dict[str, float]:
    """Return the published AUROC of a row's selected and last epoch: some of ``val``, ``test``, ``val_last``, …"""
    return _paper()["epochs"].get(task, {}).get(canonical(model), {}).get(canonical(system), {})


def gain(task: str, model: str, system: str, metric: str) -> float | None:
    """Return what a row gained over BCE as published, or None where it was not.

    Example:
        >>> gain("mortality", "mortality_lstm", "cbce_scr", "auroc")
        0.006
    """
    cells = [
        published("risk", task, _paper()["datasets"][0], model, row, "", metric) for row in (system, "bce")
    ]
    if None in cells or canonical(system) == "bce":
        return None
    return round(cells[0] - cells[1], 4)


def source() -> str:
    """Name the publication."""
    return _paper()["source"]


@lru_cache(maxsize=1)
def _paper() -> dict:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))
