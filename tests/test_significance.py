"""Holm's correction, and which rows are as good as the best."""

import pytest

from clinbench.significance import best_rows, holm


def test_holm_on_worked_numbers():
    # Holm (1979): .01 * 4, .015 * 3, then .03 * 2 and .04 * 1 made monotone.
    assert holm([0.04, 0.01, None, 0.03, 0.015]) == pytest.approx([0.06, 0.04, None, 0.06, 0.045])
    assert holm([0.9, 0.8]) == [1.0, 1.0] and holm([]) == [] and holm([None]) == [None]


def pair(first, second, p, metric="auroc"):
    return {"first": first, "second": second, "metric": metric, "p": p}


VALUES = {"a": 0.80, "b": 0.86, "c": 0.85, "d": 0.70}


def test_what_does_not_differ_from_the_best_is_as_good():
    pairs = [pair("a", "b", 0.02), pair("b", "c", 0.4), pair("b", "d", 0.001), pair("a", "c", 0.9)]
    assert best_rows(VALUES, pairs, "auroc") == {"b", "c"}
    # Holm: .03 is the second smallest of three and becomes .06.
    assert best_rows(VALUES, [pair("a", "b", 0.03), *pairs[1:]], "auroc") == {"a", "b", "c"}


def test_a_planted_winner_stands_alone_and_a_tie_takes_all():
    alone = [pair("b", name, 0.001) for name in "acd"]
    assert best_rows(VALUES, alone, "auroc") == {"b"}
    tied = [pair(name, "b", 0.5) for name in "acd"]
    assert best_rows(VALUES, tied, "auroc") == {*"abcd"}


def test_what_was_not_compared_is_not_bold():
    pairs = [pair("b", "c", 0.4), pair("a", "b", None), pair("b", "x", 0.9)]
    assert best_rows(VALUES, pairs, "auroc") == {"b", "c"}
    assert best_rows(VALUES, pairs, "auprc") == set()
    assert best_rows(VALUES, [pair("a", "b", None)], "auroc") == set()
    assert best_rows({}, pairs, "auroc") == set() and best_rows({"b": 0.5}, pairs, "auroc") == set()
