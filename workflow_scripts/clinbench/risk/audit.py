"""What every training of a search would score on the test stays: told after the search, never read by it."""

import math
from collections.abc import Mapping

import numpy as np
from torch import Tensor

from clinbench.cohorts.tensors import Cohort
from clinbench.risk.selected import untrained
from clinbench.risk.settings import restore
from clinbench.risk.stays import Stays, predict
from clinbench.risk.tasks import TASKS

SPLITS = ("val", "test")


def audit(
    cohort: Cohort,
    task: str,
    histories: Mapping[int, list[dict]],
    weights: Mapping[int, dict[str, Tensor]],
    how: tuple,
) -> list[dict]:
    """Score the kept epoch of every training of a search on validation and test stays (risk.md §4.4).

    Args:
        histories: for each batch size, the records ``train_settings`` returned.
        weights: for each batch size, the weights it returned.
        how: model, loss, preset and device, as ``selected.apply`` takes them.

    Returns:
        For each training, in the order ``choose`` compares them: ``batch_size``, ``scr_weight``, ``init``, ``epoch``
        that was kept, ``epochs`` (what each epoch scored on the stays that selected), and ``val`` and ``test`` with
        all scores of the task a search may select by; None where undefined.
    """
    *parts, device = how
    held_out = {split: Stays.of(cohort.select(split), device) for split in SPLITS}
    found = []
    for size, records in histories.items():
        for index, record in enumerate(records):
            network, module = untrained(cohort, record["scr_weight"], *parts)
            restore(weights[size], index, network)
            network.to(device)
            scores = {
                split: _scores(task, stays.labels.cpu().numpy(), predict(network, module, stays)[0])
                for split, stays in held_out.items()
            }
            told = {key: record[key] for key in ("scr_weight", "init", "epoch")}
            epochs = [epoch["score"] for epoch in record["epochs"]]
            found.append({"batch_size": size, **told, "epochs": epochs, **scores})
    return found


def _scores(task: str, labels: np.ndarray, probabilities: np.ndarray) -> dict[str, float | None]:
    values = {name: score(labels, probabilities) for name, score in TASKS[task].selection.items()}
    return {name: None if math.isnan(value) else float(value) for name, value in values.items()}
