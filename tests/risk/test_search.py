"""The search: equal budgets and the choice by validation."""

import pytest

from clinbench.errors import UserError
from clinbench.risk.search import Setting, choose, plan


def test_every_row_gets_the_same_budget():
    grid = plan([0.1, 0.2, 0.3], [64, 256], 6)
    single = plan([0.0], [64, 256], 6)
    assert sum(map(len, grid.values())) == sum(map(len, single.values())) == 6
    assert grid[64] == [Setting(0.1, 0), Setting(0.2, 0), Setting(0.3, 0)]
    assert single[256] == [Setting(0.0, 0), Setting(0.0, 1), Setting(0.0, 2)]


def test_the_rest_goes_to_further_initialisations():
    shared = plan([0.1, 0.2], [64, 256], 7)
    assert [len(settings) for settings in shared.values()] == [4, 3]
    assert shared[64][2] == Setting(0.1, 1)


def test_a_budget_that_cannot_cover_the_grid_is_refused():
    with pytest.raises(UserError, match="raise it to 6"):
        plan([0.1, 0.2, 0.3], [64, 256], 5)


def record(score, weight=0.0):
    return {"scr_weight": weight, "init": 0, "epoch": 3, "score": score, "epochs": []}


def test_choose_takes_the_best_and_the_first_of_a_tie():
    best = choose({64: [record(0.7), record(0.8, 0.1)], 256: [record(0.8, 0.2), record(None)]})
    assert (best["batch_size"], best["index"], best["scr_weight"]) == (64, 1, 0.1)


def test_nothing_to_choose_from_is_said():
    with pytest.raises(UserError, match="one class"):
        choose({64: [record(None)]})
