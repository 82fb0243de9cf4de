"""The prediction tasks: how a model is scored on each, and on which scores it may be selected."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from clinbench.evaluation.binary import binary_metrics
from clinbench.evaluation.multilabel import multilabel_metrics


@dataclass(frozen=True)
class RiskTask:
    """One task.

    Attributes:
        score: maps labels and probabilities, (N,) or (N, C), to metrics by name.
        selection: the metrics a model may be selected by; the first is the paper's (risk.md §4.4).
    """

    score: Callable[[np.ndarray, np.ndarray], dict[str, float]]
    selection: tuple[str, ...]


TASKS = {
    "mortality": RiskTask(binary_metrics, ("auroc", "average_precision")),
    "phenotyping": RiskTask(multilabel_metrics, ("micro_auroc", "macro_auroc")),
}


@dataclass(frozen=True)
class Selection:
    """What picks epoch and setting: a metric of a task on ``validation`` stays, or on ``test`` (a leak)."""

    task: str
    metric: str
    stays: str = "validation"

    @property
    def split(self) -> str:
        """Return the split of the cohort that selects."""
        return {"validation": "val", "test": "test"}[self.stays]

    def score(self, labels: np.ndarray, probabilities: np.ndarray) -> float:
        """Return the score that selects; NaN where it is undefined."""
        return TASKS[self.task].score(labels, probabilities)[self.metric]
