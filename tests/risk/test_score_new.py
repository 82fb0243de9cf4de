"""A trained model applied to new stays: the same numbers as on the test stays, and only with the same features."""

import dataclasses

import numpy as np
import pytest
from tests.risk.test_train import MODEL, RECIPE, toy_cohort

from clinbench.cohorts.new_stays import NewStays
from clinbench.errors import UserError
from clinbench.risk.search import Setting, choose
from clinbench.risk.selected import apply, score_new
from clinbench.risk.settings import train_settings
from clinbench.risk.tasks import Selection

HOW = (MODEL, {"kind": "csce"}, "clean", "cpu")


@pytest.fixture(scope="module")
def applied(tmp_path_factory):
    state, how = (
        tmp_path_factory.mktemp("state"),
        {"preset": "clean", "device": "cpu", "seed_parts": ("toy",)},
    )
    chosen = Selection("mortality", "auroc")
    records, weights = train_settings(
        toy_cohort(), MODEL, {"kind": "csce"}, [Setting(0.0, 0)], RECIPE, chosen, state=state, **how
    )
    return apply(toy_cohort(), choose({16: records}), weights, *HOW)


def new_stays(cohort):
    test = cohort.select("test")
    arrays = (test.values, test.offsets, test.statics, test.stays, test.lengths.astype(float))
    return NewStays(*arrays, None, test.features, test.static_features)


def test_new_stays_get_the_probabilities_of_the_same_test_stays(applied):
    scored = score_new(new_stays(toy_cohort()), toy_cohort(), applied.weights, *HOW)
    assert np.array_equal(scored, applied.probabilities)


def test_other_features_are_refused(applied):
    other = dataclasses.replace(new_stays(toy_cohort()), features=["a", "b", "x"])
    with pytest.raises(UserError, match="features are not those"):
        score_new(other, toy_cohort(), applied.weights, *HOW)
