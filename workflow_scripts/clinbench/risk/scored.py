"""Metrics rows of test predictions of a task, with bootstrap intervals by patient."""

import numpy as np

from clinbench.cohorts.tensors import Cohort
from clinbench.evaluation.binary import tie_share
from clinbench.evaluation.records import binary_rows, multilabel_rows


def metric_rows(test: Cohort, p: np.ndarray, columns: dict, draws: dict) -> list[dict]:
    """Score S sets of predictions of the test stays, averaged; with several labels, each of them too.

    Args:
        test: the N test stays.
        p: (S, N) or (S, N, C) probabilities of S seeds.
        columns: of the rows, see ``evaluation.records``.
        draws: ``interval_draws``, ``std_draws`` and ``value`` of the bootstrap.
    """
    scored = (test.labels, p, test.patients)
    if test.labels.ndim == 1:
        return binary_rows(*scored, columns=columns, **bootstrap_options(draws))
    return multilabel_rows(*scored, columns=columns, labels=test.label_names, **bootstrap_options(draws))


def bootstrap_options(draws: dict) -> dict:
    """Return the arguments ``evaluation.records`` takes for a configured bootstrap."""
    return {"draws": draws["interval_draws"], "std_draws": draws["std_draws"], "value": draws["value"]}


def facts(test: Cohort, p: np.ndarray, budget: int | None, draws: dict) -> dict:
    """Return what a caption says of the test stays, of their scores and of the protocol.

    Args:
        test: the N test stays.
        p: (S, N) or (S, N, C) their probabilities, S may be 0; ``tied_scores`` is the share of the seed with most
            ties, over the labels their mean.
        budget: trainings a row and seed, None if nobody knows.
        draws: of the bootstrap, as configured.
    """
    positives = test.labels.sum(axis=0).astype(int).tolist()
    counted = (
        {"positives": positives}
        if test.labels.ndim == 1
        else {"label_positives": dict(zip(test.label_names, positives, strict=True))}
    )
    ties = [np.mean([tie_share(label) for label in scores.reshape(len(test), -1).T]) for scores in p]
    tied = {"tied_scores": float(max(ties))} if ties else {}
    return {**counted, **tied, "resampled": "patients", "search_budget": budget, **draws}
