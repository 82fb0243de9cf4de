"""Scores of subgroups, and that no small one can be worked out."""

import numpy as np
import pytest

from clinbench.cohorts.tensors import Cohort
from clinbench.evaluation.records import binary_rows
from clinbench.governance import SUPPRESSED, suppressed_groups
from clinbench.risk.subgroups import EVERYONE, group_facts, subgroup_rows, subgroups

DRAWS = {"interval_draws": 50, "std_draws": 20, "value": "sample"}
COLUMNS = {"track": "risk", "task": "mortality", "dataset": "synthetic", "system": "bce"}


def cohort(sexes, labels):
    """Make test stays of patients with two stays each; ``sexes`` are f, m or anything else."""
    n = len(sexes)
    statics = [[sex == "f", sex == "m"] for sex in sexes]
    stays = [str(at) for at in range(n)]
    return Cohort(
        np.zeros((n, 1)), np.arange(n + 1), np.array(labels, float), stays, [str(at // 2) for at in range(n)],
        ["test"] * n, ["x"], statics=statics, static_features=["Gender->female", "Gender->male"],
    )  # fmt: skip


@pytest.fixture
def mixed():
    rng = np.random.default_rng(0)
    sexes = ["f"] * 60 + ["m"] * 80 + ["?"] * 24
    return cohort(sexes, rng.integers(0, 2, 164)), rng.random((2, 164))


def test_each_group_is_scored_by_itself(mixed):
    test, p = mixed
    groups = subgroups(test, [65], least=10)
    assert [one.name for one in groups] == [EVERYONE, "Sex: female", "Sex: male", "Sex: unknown"]
    rows = subgroup_rows(test, p, groups, COLUMNS, DRAWS)
    assert [(row["subset"], row["metric"]) for row in rows[:4]] == [
        (EVERYONE, "auroc"), (EVERYONE, "average_precision"),
        ("Sex: female", "auroc"), ("Sex: female", "average_precision"),
    ]  # fmt: skip
    alone = binary_rows(
        test.labels[:60], p[:, :60], test.patients[:60], columns=COLUMNS | {"subset": "Sex: female"},
        draws=50, std_draws=20,
    )  # fmt: skip
    assert rows[2:4] == alone[:2] and rows[2]["n"] == 60
    told = group_facts(test, groups, 10)
    assert told["group_stays"] == {EVERYONE: 164, "Sex: female": 60, "Sex: male": 80, "Sex: unknown": 24}
    assert told["group_positives"]["Sex: male"] == test.labels[60:140].sum()


def test_a_small_group_takes_the_next_with_it_in_all_numbers(mixed):
    test, p = mixed
    few = test.keep(np.arange(164) < 145)  # five of unknown sex
    groups = subgroups(few, [65], least=10)
    assert {one.name: one.hidden for one in groups} == {
        EVERYONE: False, "Sex: female": True, "Sex: male": False, "Sex: unknown": True
    }  # fmt: skip
    told = group_facts(few, groups, 10)
    assert told["group_stays"]["Sex: female"] == told["group_positives"]["Sex: unknown"] == SUPPRESSED
    rows = {row["subset"]: row for row in subgroup_rows(few, p[:, :145], groups, COLUMNS, DRAWS)}
    small = rows["Sex: unknown"]
    assert (small["value"], small["std"], small["ci_low"], small["n"]) == (None, None, None, SUPPRESSED)
    assert rows["Sex: female"]["value"] is not None and rows["Sex: female"]["n"] == SUPPRESSED
    assert rows["Sex: male"]["value"] is not None and rows["Sex: male"]["n"] == 80


def test_one_class_is_undefined_and_not_zero():
    test = cohort(["f"] * 20 + ["m"] * 20, [0] * 20 + [0, 1] * 10)
    p = np.random.default_rng(1).random((1, 40))
    groups = subgroups(test, [65], least=0)
    assert not any(one.hidden for one in groups)
    rows = {row["subset"]: row for row in subgroup_rows(test, p, groups, COLUMNS, DRAWS)}
    women = rows["Sex: female"]
    assert (women["value"], women["n"], women["n_valid"]) == (None, 20, 0)
    assert group_facts(test, groups, 0)["group_positives"]["Sex: female"] == 0


def test_hand_worked_suppression():
    assert suppressed_groups([40, 30], [60, 60]) == [False, False]
    assert suppressed_groups([40, 9], [60, 60]) == [True, True]
    assert suppressed_groups([40, 9, 30, 50], [60, 60, 30, 90]) == [False, True, True, False]
    # 2 + 3 stays are still a small cell together: a third goes with them
    assert suppressed_groups([1, 1, 30, 50], [1, 2, 30, 90]) == [True, True, True, False]
    assert suppressed_groups([0, 40], [20, 60], least=0) == [False, False]
    assert suppressed_groups([3], [4]) == [True] and suppressed_groups([], []) == []


def test_no_small_group_follows_from_the_whole_and_the_others():
    rng = np.random.default_rng(2)
    for _ in range(300):
        positives, negatives = rng.integers(0, 40, (2, rng.integers(2, 6)))
        negatives += (positives + negatives == 0).astype(int)
        hidden = np.array(suppressed_groups(positives.tolist(), negatives.tolist()))
        small = np.minimum(positives, negatives) < 10
        assert (hidden >= small).all() and (hidden.any() == small.any())
        if hidden.any():
            assert hidden.sum() >= 2
            left = positives[hidden].sum(), negatives[hidden].sum()  # what subtraction tells
            assert min(left) >= 10 or hidden.all()
