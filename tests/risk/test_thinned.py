"""What models of thinned training sets predict, kept for all rows to be compared."""

import numpy as np
import pytest

from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError
from clinbench.risk.thinned import (
    TrainedJob,
    imbalance_record,
    read_thinned,
    searched,
    skipped,
    thinned_predictions,
    write_thinned,
)

COLUMNS = {"track": "risk", "task": "mortality", "dataset": "toy", "model": "lstm", "system": "bce"}
DRAWS = {"interval_draws": 20, "std_draws": 10, "value": "sample"}


def cohort(stays=400):
    split = np.array(["train", "train", "val", "test"])[np.arange(stays) % 4]
    labels = (np.random.default_rng(0).random(stays) < 0.3).astype(float)
    names = np.array([f"s{at:03}" for at in range(stays)])
    offsets = np.arange(stays + 1)
    return Cohort(np.zeros((stays, 1), np.float32), offsets, labels, names, names, split, ["x"])


def test_predictions_come_back_in_the_order_of_the_test_stays(tmp_path):
    test = cohort().select("test")
    p = np.random.default_rng(1).random((2, 3, len(test))).astype(np.float32)
    write_thinned(tmp_path / "p.npz", test.stays, p)
    np.testing.assert_array_equal(read_thinned(tmp_path / "p.npz", test), p)
    write_thinned(tmp_path / "p.npz", test.stays[::-1], p)
    with pytest.raises(UserError, match="not those of the test set"):
        read_thinned(tmp_path / "p.npz", test)


def test_a_level_is_scored_over_its_draws_and_seeds():
    whole = cohort()
    p = np.random.default_rng(1).random((2, 3, 100))
    record = imbalance_record(whole, "0.1", p, 4, COLUMNS, DRAWS)
    assert {row["subset"] for row in record["rows"]} == {"all", "draw 0", "draw 1"}
    assert {row["seeds"] for row in record["rows"]} == {3}
    assert record["facts"]["search_budget"] == 4
    assert [len(sizes) for sizes in record["facts"]["train_sizes"]["0.1"].values()] == [2, 2]


def test_a_level_that_is_skipped_predicts_nothing_and_says_why():
    whole, jobs = cohort(), [TrainedJob(0, seed, 64, [{}] * 3, "none") for seed in (0, 1)]
    assert searched(jobs) == 3
    p = thinned_predictions(whole, "0.001", jobs, ())
    assert p.shape == (0, 2, 100)
    record = imbalance_record(whole, "0.001", p, 3, COLUMNS, DRAWS)
    assert record["rows"] == [] and record["absent"][0]["reason"] == skipped(whole, "0.001") != ""


def test_draws_and_seeds_that_were_searched_differently_are_refused():
    jobs = [TrainedJob(draw, seed, 64, [{}] * 3, "none") for draw in (0, 1) for seed in (0, 1)]
    assert searched([*jobs, *jobs]) == 6
    with pytest.raises(UserError, match="draw 1 of seed 1 6"):
        searched([*jobs, jobs[-1]])
