"""Macro averages against scikit-learn, draw by draw."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from clinbench.errors import UserError
from clinbench.evaluation.bootstrap import draw_weights
from clinbench.evaluation.macro import METRICS, bootstrap_macro, macro_metrics


def answers(seed, queries=60, classes=9):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, classes, queries)
    top = np.where(rng.random(queries) < 0.5, gold, rng.integers(-1, classes + 4, queries))
    return gold, top


def reference(gold, top):
    scores = precision_recall_fscore_support(
        gold, top, labels=np.unique(gold), average="macro", zero_division=0
    )
    return dict(zip(METRICS, scores[:3], strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_macro_averages_equal_scikit_learn(seed):
    gold, top = answers(seed)
    assert macro_metrics(gold, top) == pytest.approx(reference(gold, top))


def test_draws_equal_resampled_queries():
    gold, top = answers(7)
    other = answers(8)[1]
    docs = np.random.default_rng(0).integers(0, 9, 60)
    weights = draw_weights(9, 20, seed=1)
    drawn = bootstrap_macro(gold, np.stack([top, other]), docs, weights)
    for at, w in enumerate(weights):
        rows = np.repeat(np.arange(60), w[docs])
        seeds = [reference(gold[rows], found[rows]) for found in (top, other)]
        for name in METRICS:
            assert drawn[name][at] == pytest.approx(np.mean([seed[name] for seed in seeds]))
        assert macro_metrics(gold, top, w[docs]) == pytest.approx(seeds[0])


def test_without_an_answer_all_is_zero_and_without_a_query_undefined():
    assert set(macro_metrics(np.array([0, 1]), np.array([-1, -1])).values()) == {0.0}
    empty = np.empty(0, dtype=np.int64)
    assert all(np.isnan(value) for value in macro_metrics(empty, empty).values())


def test_documents_outside_the_weights_are_refused():
    with pytest.raises(UserError, match="a unit, 0 to 1"):
        bootstrap_macro([0, 1], [[0, 1]], [0, 5], draw_weights(2, 3, seed=0))
