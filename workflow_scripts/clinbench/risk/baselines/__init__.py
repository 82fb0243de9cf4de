"""Baselines: one file a kind, a row of a risk table that is no neural network.

A kind is a module with ``OPTIONS`` and ``fit_predict(cohort, budget, seed, threads=1, selection=None,
**options)``, which fits on the train split, chooses among ``budget`` settings on the val split and predicts
the test split.
"""

from typing import NamedTuple

import numpy as np


class Fitted(NamedTuple):
    """What a baseline returns."""

    probabilities: np.ndarray  # (N,) or (N, C) float32, of the test stays in the cohort's order
    trainings: int  # settings that were fitted
    selected: dict  # JSON-able: the chosen setting and its validation ``score``
