"""What the best of N trainings is expected to score: exact over all choices of N out of M, without sampling."""

import numpy as np


def best_of(chosen_by: np.ndarray, told: np.ndarray) -> np.ndarray:
    """Return the expected score of the training that a search of N would pick, for N = 1 … M.

    Every set of N out of the M trainings is as likely. One of them is the r-th best of all M and the best of its set
    in C(M − r, N − 1) of the C(M, N) sets (order statistics of draws without replacement); of trainings that tie in
    ``chosen_by``, each is as likely to come first.

    Args:
        chosen_by: (M,) the score that picks, higher is better.
        told: (M,) the score of the pick that is told, such as its test score; ``chosen_by`` itself for a search that
            picks by what it tells.

    Returns:
        (M,) float64; the first is the mean of ``told``, the last that of the best of all.

    Example:
        >>> best_of(np.array([0.7, 0.8, 0.9]), np.array([0.6, 0.9, 0.5])).round(4).tolist()
        [0.6667, 0.6333, 0.5]
    """
    chosen_by, told = np.asarray(chosen_by, dtype=np.float64), np.asarray(told, dtype=np.float64)
    _, tied = np.unique(-chosen_by, return_inverse=True)  # 0 for the best
    mean_of_tied = np.bincount(tied, weights=told) / np.bincount(tied)
    return pick_probabilities(len(told)) @ mean_of_tied[np.sort(tied)]


def pick_probabilities(trainings: int) -> np.ndarray:
    """Return how likely the r-th best of M is the best of N drawn without replacement, as (M, M) of N and r."""
    sizes, ranks = np.arange(1, trainings + 1)[:, None], np.arange(1, trainings)
    # C(M − r − 1, N − 1) / C(M − r, N − 1): from one rank to the next, starting from N / M.
    ratios = np.clip(trainings - ranks - sizes + 1, 0, None) / (trainings - ranks)
    return np.cumprod(np.hstack([sizes / trainings, ratios]), axis=1)
