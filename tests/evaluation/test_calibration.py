"""Calibration against scikit-learn, literal sums and resampled copies of the data."""

import doctest
import json

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from clinbench.errors import UserError
from clinbench.evaluation import calibration
from clinbench.evaluation.bootstrap import draw_weights, wilson
from clinbench.evaluation.calibration import (
    METRICS,
    NULL,
    calibration_metrics,
    calibration_rows,
    equal_mass_bins,
    null_ece,
    score_draws,
)
from clinbench.evaluation.records import KEYS

RNG = np.random.default_rng(0)
P = RNG.beta(1, 5, 103)
Y = (RNG.random(103) < P).astype(int)
COLUMNS = {"track": "risk", "dataset": "synthetic", "system": "bce"}


def literal_ece(y, p, place):
    """Sum the gap of each bin, written out."""
    gaps = [abs(sum(p[place == at]) - sum(y[place == at])) for at in set(place.tolist())]
    return sum(gaps) / len(y)


def test_docstring_examples():
    assert doctest.testmod(calibration).failed == 0 < doctest.testmod(calibration).attempted


def test_bins_are_of_equal_mass_and_keep_equal_scores_together():
    sizes = np.bincount(equal_mass_bins(P, 10))
    assert len(sizes) == 10 and sizes.max() - sizes.min() <= 1
    assert equal_mass_bins(np.array([0.5, 0.5, 0.5, 0.9]), 4).tolist() == [0, 0, 0, 3]


def test_hand_worked_numbers():
    # bins {0.1, 0.2} and {0.6, 0.9}: gaps |0.3 - 1| and |1.5 - 1|
    found = calibration_metrics([1, 0, 0, 1], [0.1, 0.2, 0.6, 0.9], bins=2)
    assert found["ece"] == pytest.approx((0.7 + 0.5) / 4)
    assert found["brier"] == pytest.approx((0.81 + 0.04 + 0.36 + 0.01) / 4)
    assert found["brier_skill"] == pytest.approx(1 - found["brier"] / 0.25)
    assert found["mean_probability"] == pytest.approx(0.45)


def test_metrics_agree_with_scikit_learn_and_literal_sums():
    found = calibration_metrics(Y, P)
    prevalence = Y.mean()
    assert found["brier"] == pytest.approx(brier_score_loss(Y, P))
    reference = brier_score_loss(Y, np.full(103, prevalence))
    assert found["brier_skill"] == pytest.approx(1 - found["brier"] / reference)
    assert found["ece"] == pytest.approx(literal_ece(Y, P, equal_mass_bins(P, 10)))
    assert calibration_metrics(Y, np.full(103, prevalence))["brier_skill"] == pytest.approx(0)


def test_several_labels_are_pooled_with_the_prevalence_of_each_as_reference():
    y, p = np.stack([Y, 1 - Y], axis=1), np.stack([P, 1 - P], axis=1)
    found, alone = calibration_metrics(y, p), calibration_metrics(Y, P)
    assert found["brier"] == pytest.approx(alone["brier"])
    assert found["brier_skill"] == pytest.approx(alone["brier_skill"])
    assert found["ece"] == pytest.approx(literal_ece(y.ravel(), p.ravel(), equal_mass_bins(p.ravel(), 10)))


def test_what_is_undefined_is_not_zero():
    assert np.isnan(calibration_metrics([0, 0], [0.1, 0.2])["brier_skill"])
    assert calibration_metrics([0, 0], [0.1, 0.3])["brier"] == pytest.approx(0.05)
    rows, _ = calibration_rows([0, 0, 0], [0.1, 0.2, 0.3], [1, 2, 3], columns=COLUMNS, bins=2, draws=20)
    skill = next(row for row in rows if row["metric"] == "brier_skill")
    assert (skill["value"], skill["n_valid"]) == (None, 0)
    with pytest.raises(UserError, match="row 2: score nan"):
        calibration_metrics([0, 1], [0.1, np.nan])


def test_a_draw_equals_scoring_the_patients_it_took():
    patients = np.arange(103) // 2
    weights = draw_weights(52, 5, seed=1)
    place = equal_mass_bins(P, 4)
    found = score_draws(Y.astype(bool), P, patients, weights, 4)
    for drawn, metrics, observed in zip(weights, found.metrics, found.observed, strict=True):
        taken = np.repeat(np.arange(103), drawn[patients])
        y, p = Y[taken], P[taken]
        brier = np.mean((y - p) ** 2)
        expected = [brier, 1 - brier / (y.mean() * (1 - y.mean())), literal_ece(y, p, place[taken]), p.mean()]
        assert metrics == pytest.approx(expected)
        assert observed == pytest.approx([y[place[taken] == at].mean() for at in range(4)])


def test_rows_average_seeds_and_have_the_keys_of_all_rows():
    p = np.stack([P, P**2])
    rows, curve = calibration_rows(Y, p, np.arange(103), columns=COLUMNS, bins=5, draws=50)
    assert [row["metric"] for row in rows] == [*METRICS[:3], NULL, METRICS[3]]
    assert all(list(row) == KEYS for row in rows)
    singles = [calibration_metrics(Y, one, 5) for one in p]
    for row in rows:
        if row["metric"] != NULL:
            assert row["value"] == pytest.approx(np.mean([one[row["metric"]] for one in singles]))
            assert row["ci_low"] <= row["ci_high"] and (row["n"], row["seeds"]) == (103, 2)
    json.dumps([rows, curve], allow_nan=False)
    first = equal_mass_bins(P, 5) == 0  # both seeds rank alike, so that their bins agree
    assert curve[0]["observed"] == pytest.approx(Y[first].mean())
    assert curve[0]["predicted"] == pytest.approx((P[first].mean() + (P[first] ** 2).mean()) / 2)
    assert (curve[0]["positives"], curve[0]["negatives"]) == (Y[first].sum(), (1 - Y[first]).sum())
    assert len(curve) == 5 and sum(one["positives"] for one in curve) == Y.sum()


def test_a_bin_without_positives_has_wilsons_interval():
    _, curve = calibration_rows([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8], range(4), columns={}, bins=2, draws=30)
    assert (curve[0]["observed"], curve[0]["ci_low"]) == (0.0, 0.0) and curve[0]["ci_high"] > 0.5


def test_wilsons_interval_counts_patients_not_their_stays_nor_labels():
    score = np.repeat([0.1, 0.2, 0.7, 0.8], 10)  # ten stays of each of four patients
    label, patients = (score > 0.5).astype(int), np.repeat(range(4), 10)
    settings = {"columns": {}, "bins": 2, "draws": 30}
    low, high = wilson(0.0, 2)
    for y, p in ((label, score), (np.stack([label] * 3, axis=1), np.stack([score] * 3, axis=1))):
        _, curve = calibration_rows(y, p, patients, **settings)
        assert (curve[0]["ci_low"], curve[0]["ci_high"]) == pytest.approx((low, high))
        assert curve[0]["negatives"] == y[:20].size


def test_the_error_of_labels_drawn_from_the_scores_is_what_calibrated_rows_show():
    p = np.random.default_rng(1).beta(1, 4, 500)
    found = null_ece(p[None], 10, 400, seed=0)
    chance, place = np.random.default_rng(2), equal_mass_bins(p, 10)
    literal = [literal_ece(chance.random(500) < p, p, place) for _ in range(200)]
    assert found.mean() == pytest.approx(np.mean(literal), abs=0.003)
    assert found.std() == pytest.approx(np.std(literal), abs=0.003)
    calibrated = calibration_metrics(np.random.default_rng(3).random(500) < p, p)["ece"]
    assert calibrated < np.quantile(found, 0.99) < calibration_metrics(np.zeros(500), p)["ece"]
