"""Made-up paired statistics."""

import copy

import pytest

from clinbench.claims.ledger import Place

ROWS = ("bce", "bce_scr", "cbce", "cbce_scr", "csce", "csce_scr")
METRICS = ("auroc", "auprc", "average_precision", "minpse", "accuracy")


def pair(first, second, metric, difference, p, se=0.001, seeds=5):
    """Make one comparison; its interval is four standard errors wide, and all of them is of the seeds."""
    interval = None if difference is None else [difference - 2 * se, difference + 2 * se]
    return {
        "first": first, "second": second, "metric": metric, "difference": difference,
        "se": None if difference is None else se, "se_units": 0.0, "se_seeds": se, "df": seeds - 1,
        "interval": interval, "p": p, "p_bootstrap": p,
        "p_delong": None, "n_valid": 1000, "n_swaps": 1000,
        "note": None if difference is not None else "undefined for bce",
    }  # fmt: skip


@pytest.fixture
def record():
    """Return paired statistics of the six losses in which nothing differs."""
    seeds = [0, 1, 2, 3, 4]
    search = {"budget": 6, "selection": "validation", "alike": True}
    return {
        "unit": "patient",
        "n": 4000,
        "groups": 4000,
        "seeds": seeds,
        "draws": 1000,
        "training_draws": 0,
        "systems": {row: {"seeds": seeds, "search": copy.deepcopy(search)} for row in ROWS},
        "absent": {},
        "pairs": [
            pair(first, second, metric, 0.0001, 0.9)
            for at, first in enumerate(ROWS)
            for second in ROWS[at + 1 :]
            for metric in METRICS
        ],
    }


@pytest.fixture
def place():
    """Return a place whose paired statistics are the file "paired"."""

    def make(family="mortality_lstm", **changes):
        given = {
            "dataset": "physionet2012", "model": "mortality_lstm", "title": "PhysioNet 2012",
            "synthetic": False, "trained": ROWS, "files": {"": "paired"},
        }  # fmt: skip
        return Place(family, **(given | changes))

    return make


@pytest.fixture
def plant():
    """Return a function that changes one pair of a record."""

    def change(record, first, second, metric, difference, p, se=0.001, **more):
        for at, one in enumerate(record["pairs"]):
            if one["metric"] == metric and {one["first"], one["second"]} == {first, second}:
                sign = 1 if one["first"] == first else -1
                planted = pair(one["first"], one["second"], metric, difference and sign * difference, p, se)
                record["pairs"][at] = planted | more
                return
        raise AssertionError((first, second, metric))

    return change
