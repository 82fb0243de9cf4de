"""Fewer positives on purpose: training sets of 5 %, 1 %, 0.1 % positives from one cohort.

Source: specification risk.md §4.6. Each positive is kept independently with the probability that gives
the wanted ratio on average; all negatives stay, and so do validation and test.
"""

import dataclasses
import re

import numpy as np

from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError

ALL = "all"
NAME = re.compile(r"positives=(0\.\d+),draw=(\d{1,9})")
UNTHINNED = "positives=all,draw=0"  # the whole training set, searched as the thinned ones are
LEAST = 5  # expected positives below which a training set is not made


def parse_sample(name: str) -> tuple[float, int] | None:
    """Return ratio and draw of ``positives=<ratio>,draw=<number>``, None for ``all`` and ``UNTHINNED``.

    Raises:
        UserError: the name is none of these.

    Example:
        >>> parse_sample("positives=0.01,draw=2")
        (0.01, 2)
    """
    if name in (ALL, UNTHINNED):
        return None
    found = NAME.fullmatch(name)
    if not found or float(found[1]) == 0:
        raise UserError(f"No sample '{name}'; write 'all' or, for example, 'positives=0.01,draw=2'.")
    return float(found[1]), int(found[2])


def expected_positives(labels: np.ndarray, ratio: float) -> float:
    """Return the mean number of positives kept for a share ``ratio`` of positives; never more than there are.

    Args:
        labels: (N,) of 0 and 1.
        ratio: wanted share of positives, in (0, 1).
    """
    positives = int(np.sum(labels == 1))
    return min(ratio * (len(labels) - positives) / (1 - ratio), float(positives))


def keep_positives(labels: np.ndarray, ratio: float, draw: int) -> np.ndarray:
    """Return which stays are kept, (N,) bool: all negatives, each positive with one and the same chance.

    One uniform number belongs to each positive, whatever the ratio, so that of two ratios of one draw the
    smaller keeps a subset of the larger.

    Args:
        labels: (N,) of 0 and 1, of stays sorted by name.
        ratio: wanted share of positives, in (0, 1); one above theirs keeps all.
        draw: seed of NumPy's legacy generator; 0 gives the numbers behind the published sizes.
    """
    positive = np.asarray(labels) == 1
    uniforms = np.random.RandomState(draw).random_sample(int(positive.sum()))
    kept = ~positive
    kept[positive] = uniforms * positive.sum() < expected_positives(labels, ratio)
    return kept


def sample(cohort: Cohort, name: str) -> Cohort | None:
    """Return a cohort whose training split is thinned as ``name`` says; the rest is untouched.

    Features stay as they are, scaled on all training stays. ``info["sample"]`` tells what was kept.

    Args:
        cohort: a cohort with one label, (N,).
        name: ``all`` or ``UNTHINNED`` (the cohort as it is), or ``positives=<ratio>,draw=<number>``.

    Returns:
        The thinned cohort, or None where ``why_skipped`` has a reason.

    Raises:
        UserError: the name is not of that form; the cohort has several labels.
    """
    parsed = parse_sample(name)
    if parsed is None:
        return cohort
    if cohort.labels.ndim != 1:
        raise UserError(
            f"Sample '{name}' needs a cohort with one label; this one has {cohort.labels.shape[1]}."
        )
    ratio, draw = parsed
    train = np.flatnonzero(cohort.split == "train")
    train = train[np.argsort(cohort.stays[train], kind="stable")]
    labels = cohort.labels[train]
    if why_skipped(labels, ratio):
        return None
    kept = keep_positives(labels, ratio, draw)
    chosen = np.ones(len(cohort), dtype=bool)
    chosen[train] = kept
    facts = {
        "name": name,
        "stays": int(kept.sum()),
        "positives": int(labels[kept].sum()),
        "expected_positives": expected_positives(labels, ratio),
        "positives_of_all": int(labels.sum()),
    }
    thinned = cohort.keep(chosen)
    return dataclasses.replace(thinned, info={**thinned.info, "sample": facts})


def why_skipped(labels: np.ndarray, ratio: float) -> str:
    """Say why no training set with that share of positives is made of ``labels``, (N,); else nothing."""
    if ratio >= np.mean(labels):
        return f"no fewer positives: the training stays have {100 * np.mean(labels):.1f} %"
    expected = expected_positives(labels, ratio)
    if expected < LEAST:
        return f"{expected:.1f} training positives expected, fewer than {LEAST}"
    return ""
