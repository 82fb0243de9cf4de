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
        selection: the metrics a model may be selected by, each from labels and probabilities, (N,) or (N, C);
            the first is the paper's (risk.md §4.4).
    """

    selection: dict[str, Callable[[np.ndarray, np.ndarray], float]]


TASKS = {
    "mortality": RiskTask(
        {
            "auroc": lambda y, p: binary_metrics(y, p)["auroc"],
            "average_precision": lambda y, p: binary_metrics(y, p)["average_precision"],
        }
    ),
    "phenotyping": RiskTask(
        {
            "micro_auroc": lambda y, p: binary_metrics(y.ravel(), p.ravel())["auroc"],
            "macro_auroc": lambda y, p: multilabel_metrics(y, p)["macro_auroc"],
        }
    ),
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
        return TASKS[self.task].selection[self.metric](labels, probabilities)
