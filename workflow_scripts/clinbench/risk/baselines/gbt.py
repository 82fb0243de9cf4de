"""Gradient-boosted trees (scikit-learn) on summary statistics of each stay, one ensemble a label."""

import math
import sys
from collections.abc import Iterator
from itertools import count, islice, product, repeat

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from clinbench.cohorts.tensors import SPLITS, Cohort
from clinbench.defaults import with_defaults
from clinbench.errors import UserError, refuse
from clinbench.progress import progress
from clinbench.risk.baselines import Fitted
from clinbench.risk.baselines.summary import summarise
from clinbench.risk.tasks import Selection
from clinbench.runtime import cell_seed, usable_threads

TITLE = "Gradient-boosted trees"
OPTIONS = {
    "learning_rates": {
        "type": "array",
        "items": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        "minItems": 1,
        "uniqueItems": True,
        "default": [0.05, 0.1],
        "description": "Shrinkages to search.",
    },
    "leaves": {
        "type": "array",
        "items": {"type": "integer", "minimum": 2},
        "minItems": 1,
        "uniqueItems": True,
        "default": [6, 12, 24],
        "description": "Largest numbers of leaves of a tree to search.",
    },
    "l2": {
        "type": "array",
        "items": {"type": "number", "minimum": 0},
        "minItems": 1,
        "uniqueItems": True,
        "default": [10, 1],
        "description": "L2 penalties of the leaves to search; the budget is spent on all of the above with the "
        "first of them, then with the next.",
    },
    "trees": {
        "type": "integer",
        "minimum": 1,
        "default": 300,
        "description": "Trees of an ensemble; validation picks how many of them, in steps of ten, predict.",
    },
    "max_features": {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 1,
        "default": 0.2,
        "description": "Share of the statistics, drawn anew for each split, that it may use.",
    },
}
GRID = ("l2", "learning_rates", "leaves")
STEP = 10  # trees between two validation scores


def fit_predict(
    cohort: Cohort,
    budget: int | None,
    seed: int,
    threads: int = 1,
    selection: Selection | None = None,
    **options: object,
) -> Fitted:
    """Fit ``budget`` settings on the train split and predict the test split with the best one.

    Validation picks the setting and its number of trees. A budget beyond the grid goes to further draws of
    the features; without one, the grid is fitted once.

    Args:
        selection: the score that picks, of validation stays; by default AUROC, of several labels micro AUROC.
        options: any of ``OPTIONS``.
    Returns:
        Probabilities of the test stays, how many settings were fitted, and the chosen one with its ``score``.

    Raises:
        UserError: no budget; one outcome only; no statistic varies among the training stays.
    """
    options = with_defaults(OPTIONS, options)
    if budget is None:
        budget = math.prod(len(options[key]) for key in GRID)
    if budget < 1:
        raise UserError(f"gbt: a budget of at least one training is needed, got {budget}.")
    several = cohort.labels.ndim == 2
    selection = selection or Selection(
        *(("phenotyping", "micro_auroc") if several else ("mortality", "auroc"))
    )
    rows, labels = _by_split(cohort)
    score, chosen, probabilities = -np.inf, {}, None
    with threadpool_limits(usable_threads(threads)):
        for setting in progress(islice(_settings(options), budget), "settings", budget):
            models = _fit(rows["train"], labels["train"], setting, options, seed)
            scores = {
                trees: selection.score(
                    labels["val"].reshape(-1, *cohort.labels.shape[1:]), _shaped(p, cohort)
                )
                for trees, p in _staged(models, rows["val"])
            }
            trees = max(scores, key=scores.get)
            print(f"{setting}: {scores[trees]:.4f} with {trees} trees", file=sys.stderr, flush=True)
            if scores[trees] > score:
                score, chosen = scores[trees], {**setting, "trees": trees}
                probabilities = next(p for stage, p in _staged(models, rows["test"]) if stage == trees)
    return Fitted(
        _shaped(probabilities, cohort).astype(np.float32), budget, {**chosen, "score": float(score)}
    )


def _shaped(probabilities: np.ndarray, cohort: Cohort) -> np.ndarray:
    """Return (n, C) probabilities in the shape of the cohort's labels, (n,) or (n, C)."""
    return probabilities if cohort.labels.ndim == 2 else probabilities[:, 0]


def _by_split(cohort: Cohort) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return statistics (n, K) that vary among the training stays, and labels (n, C), of each split."""
    statistics, _ = summarise(cohort)
    columns = cohort.labels.reshape(len(cohort), -1)  # (N, C)
    labels = {name: columns[cohort.split == name] for name in SPLITS}
    problems = [
        f"The {name} stays have one outcome only, so nothing can be learnt from them."
        for name in ("train", "val")
        if len(np.unique(labels[name])) < 2
    ]
    problems += [] if len(labels["test"]) else ["There are no test stays to predict."]
    refuse(problems, "Gradient-boosted trees cannot be fitted:")
    # A column with one value splits nothing, and one without any cannot be binned.
    train = statistics[cohort.split == "train"]
    varies = np.fmin.reduce(train) < np.fmax.reduce(train)
    if not varies.any():
        raise UserError("gbt: no statistic varies among the training stays, so there is nothing to learn.")
    return {name: statistics[cohort.split == name][:, varies] for name in SPLITS}, labels


def _settings(options: dict) -> Iterator[dict]:
    """Yield the grid in the order of its options, over and over with a new ``init``."""
    for init in count():
        for l2, learning_rate, leaves in product(*(options[key] for key in GRID)):
            yield {"learning_rate": learning_rate, "leaves": leaves, "l2": l2, "init": init}


def _fit(rows: np.ndarray, labels: np.ndarray, setting: dict, options: dict, seed: int) -> list:
    """Fit an ensemble a label; a label with one outcome gives that outcome, a float, in its place."""
    return [
        float(column[0])
        if (column == column[0]).all()
        else HistGradientBoostingClassifier(
            learning_rate=setting["learning_rate"],
            max_leaf_nodes=setting["leaves"],
            l2_regularization=setting["l2"],
            max_iter=options["trees"],
            max_features=options["max_features"],
            early_stopping=False,
            random_state=cell_seed("gbt", seed, setting["init"]),
        ).fit(rows, column)
        for column in labels.T
    ]


def _staged(models: list, rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the number of trees and probabilities (n, C) after every ``STEP`` trees and after all of them."""
    total = max(model.n_iter_ for model in models if not isinstance(model, float))
    stages = [
        repeat(np.full(len(rows), model))
        if isinstance(model, float)
        else (both[:, 1] for both in model.staged_predict_proba(rows))
        for model in models
    ]
    for trees, columns in enumerate(zip(*stages, strict=False), 1):
        if trees % STEP == 0 or trees == total:
            yield trees, np.stack(columns, axis=1)
