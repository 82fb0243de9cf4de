"""Metrics rows of test predictions of a task, with bootstrap intervals by patient."""

import numpy as np

from clinbench.cohorts.tensors import Cohort
from clinbench.evaluation.records import binary_rows, multilabel_rows


def metric_rows(test: Cohort, p: np.ndarray, columns: dict, draws: dict) -> list[dict]:
    """Score S sets of predictions of the test stays, averaged.

    Several labels add the AUROC of each as rows whose ``subset`` is the label's name.

    Args:
        test: the N test stays.
        p: (S, N) or (S, N, C) probabilities of S seeds or draws.
        columns: of the rows, see ``evaluation.records``.
        draws: ``interval_draws``, ``std_draws`` and ``value`` of the bootstrap.
    """
    how = {
        "columns": columns,
        "draws": draws["interval_draws"],
        "std_draws": draws["std_draws"],
        "value": draws["value"],
    }
    if test.labels.ndim == 1:
        return binary_rows(test.labels, p, test.patients, **how)
    rows = multilabel_rows(test.labels, p, test.patients, **how)
    for index, name in enumerate(test.label_names):
        one = how | {"columns": {**columns, "subset": name}}
        scored = binary_rows(test.labels[:, index], p[..., index], test.patients, **one)
        rows += [row for row in scored if row["metric"] == "auroc"]
    return rows


def facts(test: Cohort, title: str, synthetic: bool, budget: object, draws: dict) -> dict:
    """Return what a caption says of a cohort's test set and the protocol."""
    several = test.labels.ndim == 2
    return {
        "title": title,
        "synthetic": synthetic,
        "positives": None if several else int(test.labels.sum()),
        "resampled": "patients",
        "search_budget": budget,
        **draws,
    }
