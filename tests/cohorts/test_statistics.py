"""Numbers of the data tables, worked by hand."""

import json

import numpy as np
import pytest

from clinbench.cohorts.statistics import cohort_statistics, length_statistics
from clinbench.cohorts.tensors import Cohort


def cohort(labels):
    lengths = [1, 2, 6, 3, 5]
    return Cohort(
        values=np.zeros((17, 1)),
        offsets=np.concatenate([[0], np.cumsum(lengths)]),
        labels=labels,
        stays=["a", "b", "c", "d", "e"],
        patients=["p", "p", "q", "r", "s"],
        split=["train", "train", "train", "val", "val"],
        features=["x"],
    )


def test_counts_and_lengths_by_hand():
    found = cohort_statistics(cohort([0, 1, 0, 1, 1]))
    train = found["train"]
    assert (train["stays"], train["patients"], train["positives"]) == (3, 2, 1)
    assert train["share"] == pytest.approx(1 / 3)
    # 1, 2, 6: deviations −2, −1, 3; squares 14, cubes 18.
    assert train["hours"] == pytest.approx(
        {"mean": 3, "std": 7**0.5, "min": 1, "max": 6, "skewness": (18 / 3) / (14 / 3) ** 1.5}
    )
    assert (found["all"]["stays"], found["all"]["patients"], found["all"]["positives"]) == (5, 4, 3)
    json.dumps(found)


def test_a_split_without_stays_is_undefined_not_zero():
    test = cohort_statistics(cohort([0, 1, 0, 1, 1]))["test"]
    assert (test["stays"], test["patients"], test["positives"], test["share"]) == (0, 0, 0, None)
    assert set(test["hours"].values()) == {None}


def test_label_density_of_several_labels():
    found = cohort_statistics(cohort([[1, 0], [1, 1], [0, 0], [0, 1], [0, 0]]))
    assert found["train"]["share"] == pytest.approx(3 / 6) and found["train"]["positives_of_each"] == [2, 1]
    assert found["all"]["positives"] == 4 and found["all"]["positives_of_each"] == [2, 2]


def test_one_stay_and_equal_stays():
    one, equal = length_statistics(np.array([7])), length_statistics(np.array([48, 48]))
    assert (one["mean"], one["std"], one["skewness"]) == (7, None, None)
    assert (equal["std"], equal["skewness"]) == (0, None)
