"""The weighted kernel against scikit-learn and against resampling rows one by one."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from clinbench.errors import UserError
from clinbench.evaluation.binary import METRICS, binary_metrics
from clinbench.evaluation.bootstrap import (
    bootstrap_binary,
    bootstrap_multilabel,
    draw_weights,
    summarise,
    wilson,
)
from clinbench.evaluation.multilabel import multilabel_metrics


def outcome(seed, samples=60, decimals=1):
    rng = np.random.default_rng(seed)
    return np.r_[0, 1, rng.integers(0, 2, samples - 2)], rng.random(samples).round(decimals)


@pytest.mark.parametrize("decimals", [0, 1, 16])
def test_draws_equal_sklearn_sample_weight(decimals, sklearn_metrics):
    y, p = outcome(decimals, decimals=decimals)
    weights = draw_weights(60, 30, seed=1)
    drawn = bootstrap_binary(y, p[None], np.arange(60), weights)
    for at, w in enumerate(weights):
        assert {name: drawn[name][at] for name in METRICS} == pytest.approx(
            sklearn_metrics(y, p, w), abs=1e-12
        )


def test_unit_weights_give_the_metrics_themselves():
    y, p = outcome(3)
    drawn = bootstrap_binary(y, p[None], np.arange(60), np.ones((1, 60), np.int32))
    assert {name: values[0] for name, values in drawn.items()} == pytest.approx(
        binary_metrics(y, p), abs=1e-15
    )


def test_patients_are_drawn_whole():
    y, p = outcome(4)
    patients = np.random.default_rng(4).integers(0, 15, 60)
    patients[:15] = np.arange(15)
    rows_of = [np.flatnonzero(patients == patient) for patient in range(15)]
    weights = draw_weights(15, 20, seed=9)
    drawn = bootstrap_binary(y, p[None], patients, weights)
    rng = np.random.default_rng(9)
    for at in range(20):
        rows = np.concatenate([rows_of[patient] for patient in rng.integers(15, size=15)])
        naive = binary_metrics(y[rows], p[rows])
        assert {name: drawn[name][at] for name in METRICS} == pytest.approx(naive, abs=1e-12, nan_ok=True)


def test_seeds_share_the_draws_and_are_averaged():
    y, p = outcome(5, decimals=16)
    scores = np.stack([p, p[::-1], p**2])
    weights = draw_weights(60, 10, seed=0)
    alone = [bootstrap_binary(y, one[None], np.arange(60), weights)["auprc"] for one in scores]
    together = bootstrap_binary(y, scores, np.arange(60), weights)["auprc"]
    np.testing.assert_allclose(together, np.mean(alone, axis=0), atol=1e-15)


def test_one_class_draws_are_undefined_and_counted():
    y, p = np.arange(8) == 3, np.linspace(0, 1, 8)
    weights = draw_weights(8, 200, seed=0)
    drawn = bootstrap_binary(y, p[None], np.arange(8), weights)
    without = (weights[:, 3] == 0) | (weights[:, 3] == 8)
    np.testing.assert_array_equal(np.isnan(drawn["auroc"]), without)
    np.testing.assert_array_equal(np.isnan(drawn["average_precision"]), without)
    assert not np.isnan(drawn["accuracy"]).any()
    assert 0 < without.sum() < 200
    summary = summarise(0.5, drawn["auroc"])
    assert summary["n_valid"] == 200 - without.sum()
    assert summary["std"] == pytest.approx(np.nanstd(drawn["auroc"][:100], ddof=1))
    assert summary["ci_high"] == pytest.approx(np.nanpercentile(drawn["auroc"], 97.5))


def test_weights_are_resamples_and_prefixes_of_longer_runs():
    weights = draw_weights(20, 50, seed=2)
    assert weights.shape == (50, 20) and (weights.sum(axis=1) == 20).all()
    np.testing.assert_array_equal(weights, draw_weights(20, 80, seed=2)[:50])
    assert (weights != draw_weights(20, 50, seed=3)).any()
    assert abs((draw_weights(100, 200, seed=0) == 0).mean() - 0.99**100) < 0.01
    with pytest.raises(UserError, match="empty"):
        draw_weights(0, 5, seed=0)


def test_groups_outside_the_weights_are_refused():
    weights = draw_weights(2, 3, seed=0)
    for groups in ([0, 2], [-1, 0], [0]):
        with pytest.raises(UserError, match="a unit, 0 to 1"):
            bootstrap_binary([0, 1], [[0.1, 0.2]], groups, weights)


def test_summary_of_the_undefined_is_none():
    nothing = {"value": None, "std": None, "ci_low": None, "ci_high": None, "n_valid": 0}
    assert summarise(np.nan, np.full(10, np.nan)) == nothing
    assert summarise(0.5, np.array([0.5, np.nan]))["std"] is None


@pytest.mark.parametrize("hits", [0, 1, 3, 7])
def test_wilson_equals_scipy(hits):
    interval = binomtest(hits, 7).proportion_ci(method="wilson")
    assert wilson(hits / 7, 7) == pytest.approx(tuple(interval), abs=1e-12)


def test_wilson_replaces_only_a_collapsed_interval():
    assert summarise(1.0, np.ones(50), trials=10)["ci_low"] == pytest.approx(wilson(1.0, 10)[0])
    assert summarise(1.0, np.ones(50))["ci_low"] == 1.0
    assert summarise(0.5, np.array([0.4, 0.6]), trials=10)["ci_low"] == pytest.approx(0.405)


def labels(seed, decimals):
    rng = np.random.default_rng(seed)
    y = rng.random((50, 4)) < [0.3, 0.5, 0.2, 0.7]
    return y, (rng.random((50, 4)) + 0.3 * y).round(decimals)


@pytest.mark.parametrize("decimals", [1, 16])
def test_multilabel_equals_sklearn(decimals):
    y, p = labels(6, decimals)
    weights = draw_weights(50, 20, seed=0)
    drawn = bootstrap_multilabel(y, p[None], np.arange(50), weights)
    for name, values in drawn.items():
        average = name.removesuffix("_auroc")
        assert multilabel_metrics(y, p)[name] == pytest.approx(
            roc_auc_score(y, p, average=average), abs=1e-12
        )
        naive = [roc_auc_score(y, p, average=average, sample_weight=w) for w in weights]
        np.testing.assert_allclose(values, naive, atol=1e-12)


def test_absent_labels_are_left_out_and_counted():
    y, p = labels(7, 2)
    y[:, 1], y[:, 2] = False, True
    scores = multilabel_metrics(y, p)
    kept = [0, 3]
    assert scores["labels"] == 2
    for average in ("macro", "weighted"):
        expected = roc_auc_score(y[:, kept], p[:, kept], average=average)
        assert scores[f"{average}_auroc"] == pytest.approx(expected, abs=1e-12)
    ones = np.ones((1, 50), np.int32)
    drawn = bootstrap_multilabel(y, p[None], np.arange(50), ones)
    assert {name: values[0] for name, values in drawn.items()} | {"labels": 2} == pytest.approx(scores)


def test_multilabel_without_any_defined_label():
    scores = multilabel_metrics(np.zeros((3, 2)), np.full((3, 2), 0.5))
    assert np.isnan(scores["macro_auroc"]) and np.isnan(scores["weighted_auroc"]) and scores["labels"] == 0


def test_multilabel_names_row_and_column():
    with pytest.raises(UserError, match="seed 1, row 2, column 1: score nan"):
        bootstrap_multilabel([[0, 1], [1, 0]], [[[0.1, 0.2], [np.nan, 0.3]]], [0, 1], draw_weights(2, 1, 0))
