"""Binary metrics against the paper's values and scikit-learn, and where they are undefined."""

import numpy as np
import pytest

from clinbench.errors import UserError
from clinbench.evaluation.binary import METRICS, binary_metrics, tie_share

GOLDEN_Y = [0, 0, 1, 1, 0, 1, 0, 1, 0, 0]
GOLDEN_P = [0.1, 0.4, 0.35, 0.8, 0.5, 0.7, 0.2, 0.5, 0.05, 0.6]


def test_golden_values():
    golden = {
        "auroc": 0.8125,
        "auprc": 0.7922619,
        "average_precision": 0.7928571,
        "minpse": 0.6,
        "accuracy": 0.7,
    }
    assert binary_metrics(GOLDEN_Y, GOLDEN_P) == pytest.approx(golden, abs=1e-7)


@pytest.mark.parametrize("decimals", [1, 2, 16])
def test_equals_sklearn_with_and_without_ties(decimals, sklearn_metrics):
    rng = np.random.default_rng(decimals)
    for _ in range(20):
        y = np.r_[0, 1, rng.integers(0, 2, 58)]
        p = rng.random(60).round(decimals)
        assert binary_metrics(y, p) == pytest.approx(sklearn_metrics(y, p), abs=1e-12)


def test_constant_score_has_the_trapezoid_of_sklearn(sklearn_metrics):
    y = np.arange(100) < 12
    scores = binary_metrics(y, np.full(100, 0.3))
    assert scores == pytest.approx(sklearn_metrics(y, np.full(100, 0.3)), abs=1e-12)
    assert scores["auprc"] == pytest.approx(0.56) and scores["average_precision"] == pytest.approx(0.12)
    assert scores["auroc"] == 0.5


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_undefined(label):
    scores = binary_metrics(np.full(4, label), [0.2, 0.4, 0.6, 0.8])
    assert scores.pop("accuracy") == 0.5
    assert all(np.isnan(value) for value in scores.values())


def test_no_sample_is_undefined():
    assert all(np.isnan(value) for value in binary_metrics([], []).values())


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_refused_with_their_row(bad):
    with pytest.raises(UserError, match=f"row 3: score {bad}"):
        binary_metrics([0, 1, 1], [0.1, 0.2, bad])


def test_labels_and_shapes_are_checked():
    with pytest.raises(UserError, match="row 2: label 2"):
        binary_metrics([0, 2], [0.1, 0.2])
    with pytest.raises(UserError, match=r"\(3,\) do not fit labels of shape \(2,\)"):
        binary_metrics([0, 1], [0.1, 0.2, 0.3])


def test_tie_share():
    assert tie_share([0.1, 0.1, 0.2, 0.3]) == 0.5
    assert tie_share([0.1, 0.2]) == 0
    assert np.isnan(tie_share([]))


def test_metrics_come_in_their_order():
    assert tuple(binary_metrics(GOLDEN_Y, GOLDEN_P)) == METRICS
