"""Summary statistics against a loop over stays, and gradient-boosted trees against scikit-learn itself."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from clinbench import plugins
from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError
from clinbench.risk.baselines import gbt
from clinbench.risk.baselines.summary import summarise
from clinbench.runtime import cell_seed

FEATURES = ["HR", "GCS->1", "GCS->2", "mask->HR", "mask->GCS", "pH", "ICU"]
QUICK = {"trees": 25, "leaves": [4], "learning_rates": [0.1, 0.3], "l2": [1]}


def ragged(n=90, labels=None, seed=0):
    """Stays of 1 to 9 hours; HR's mean tells the label, and every tenth stay has no HR at all."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 10, n)
    offsets = np.append(0, np.cumsum(lengths))
    if labels is None:
        labels = (random.random(n) < 0.4).astype(float)
    first = labels if np.ndim(labels) == 1 else labels[:, 0]
    hours = np.repeat(np.arange(n), lengths)
    values = random.normal(size=(offsets[-1], len(FEATURES)))
    values[:, 0] += 2 * first[hours]
    values[:, 3:5] = random.random((offsets[-1], 2)) < 0.5
    values[hours % 10 == 0, 3] = 0
    values[:, 6] = hours % 3  # the same in all hours of a stay
    stays = np.array([f"{i:03d}" for i in range(n)])
    split = np.array(["train", "train", "val", "test", "train", "test"] * (n // 6))
    statics = random.normal(size=(n, 1))
    return Cohort(values, offsets, labels, stays, stays, split, FEATURES, statics, ["age"])


def literal(values, hours):
    """Last, mean, min, max, std, slope of one part of one stay."""
    if not len(values):
        return [np.nan] * 6
    slope = np.polyfit(hours, values, 1)[0] if len(values) > 1 else np.nan
    return [values[-1], values.mean(), values.min(), values.max(), values.std(), slope]


def test_statistics_equal_a_loop_over_stays():
    cohort = ragged()
    table, names = summarise(cohort)
    assert table.dtype == np.float32
    for i, (start, end) in enumerate(zip(cohort.offsets, cohort.offsets[1:], strict=False)):
        stay = cohort.values[start:end].astype(float)
        edge = -(-len(stay) // 4)
        expected, counts = [], {3: [], 4: []}
        for column, mask in ((0, 3), (1, 4), (2, 4), (5, None)):
            for part in (slice(None), slice(edge), slice(len(stay) - edge, None)):
                seen = np.ones(len(stay), bool) if mask is None else stay[:, mask] > 0
                hours = np.arange(len(stay))[part][seen[part]]
                expected += literal(stay[hours, column], hours)
                if column in (0, 1):
                    counts[mask].append(len(hours))
        cut = 3 * 18  # statistics of HR and both GCS stand before the masks' counts, those of pH after
        expected = [*expected[:cut], *counts[3], *counts[4], *expected[cut:]]
        expected += [stay[0, 6], cohort.statics[i, 0], len(stay)]
        np.testing.assert_allclose(table[i], expected, rtol=1e-4, atol=1e-5)
    assert names[3] == "HR: max of stay" and names[-3:] == ["ICU", "age", "hours"]
    assert names[54] == "mask->HR: count of stay"


def test_statistics_of_a_stay_worked_by_hand():
    values = np.array([[5.0, 1], [9, 0], [1, 1], [9, 0], [3, 1]])
    one = Cohort(values, [0, 5], [1], ["a"], ["a"], ["train"], ["HR", "mask->HR"])
    table, names = summarise(one)
    found = dict(zip(names, table[0].tolist(), strict=True))
    # Observed 5, 1, 3 at hours 0, 2, 4; quarters of five hours are two hours long.
    assert found["HR: mean of stay"] == 3 and found["HR: slope of stay"] == -0.5
    assert found["HR: std of stay"] == pytest.approx((8 / 3) ** 0.5)
    assert (found["HR: last of first quarter"], found["HR: last of last quarter"]) == (5, 3)
    assert np.isnan(found["HR: slope of last quarter"])
    assert (found["mask->HR: count of stay"], found["mask->HR: count of last quarter"]) == (3, 1)


def test_the_choice_is_scikit_learns_model_and_validations():
    cohort = ragged()
    fitted = gbt.fit_predict(cohort, 2, seed=3, **QUICK)
    chosen = fitted.selected
    table, _ = summarise(cohort)
    train, val, test = (cohort.split == name for name in ("train", "val", "test"))
    table = table[:, np.nanmin(table[train], 0) < np.nanmax(table[train], 0)]
    scores = {}
    for rate in (0.1, 0.3):
        for trees in (10, 20, 25):
            model = HistGradientBoostingClassifier(
                learning_rate=rate,
                max_leaf_nodes=4,
                l2_regularization=1,
                max_iter=trees,
                max_features=0.2,
                early_stopping=False,
                random_state=cell_seed("gbt", 3, 0),
            ).fit(table[train], cohort.labels[train])
            score = roc_auc_score(cohort.labels[val], model.predict_proba(table[val])[:, 1])
            scores[rate, trees] = score, model.predict_proba(table[test])[:, 1]
    assert chosen["score"] == pytest.approx(max(score for score, _ in scores.values()))
    score, probabilities = scores[chosen["learning_rate"], chosen["trees"]]
    assert score == pytest.approx(chosen["score"])
    np.testing.assert_allclose(fitted.probabilities, probabilities, rtol=1e-6)
    assert fitted.probabilities.dtype == np.float32


def test_only_seed_and_budget_matter():
    cohort = ragged()
    first = gbt.fit_predict(cohort, 3, 0, **QUICK)
    np.random.seed(5)
    again = gbt.fit_predict(cohort, 3, 0, threads=2, **QUICK)
    assert np.array_equal(first.probabilities, again.probabilities) and first.selected == again.selected
    assert first.selected["score"] >= gbt.fit_predict(cohort, 1, 0, **QUICK).selected["score"]
    blind = np.where(cohort.split == "test", 1 - cohort.labels, cohort.labels)
    values = (cohort.values, cohort.offsets, blind, cohort.stays, cohort.patients, cohort.split, FEATURES)
    swapped = gbt.fit_predict(Cohort(*values, cohort.statics, ["age"]), 3, 0, **QUICK)
    assert np.array_equal(first.probabilities, swapped.probabilities)


def test_a_budget_beyond_the_grid_draws_features_anew():
    settings = gbt._settings(gbt.with_defaults(gbt.OPTIONS, QUICK))
    rates = [(one["learning_rate"], one["init"]) for one, _ in zip(settings, range(5), strict=False)]
    assert rates == [(0.1, 0), (0.3, 0), (0.1, 1), (0.3, 1), (0.1, 2)]


def test_several_labels_have_an_ensemble_each_and_a_constant_one_its_constant():
    random = np.random.default_rng(1)
    labels = (random.random((90, 3)) < 0.4).astype(float)
    labels[:, 2] = 0
    cohort = ragged(labels=labels)
    options = QUICK | {"trees": 10}  # one stage, so that validation has no choice
    fitted = gbt.fit_predict(cohort, 1, 0, **options)
    test = cohort.split == "test"
    assert fitted.probabilities.shape == (test.sum(), 3)
    assert (fitted.probabilities[:, 2] == 0).all()
    assert roc_auc_score(labels[test, 0], fitted.probabilities[:, 0]) > 0.7
    alone = gbt.fit_predict(ragged(labels=labels[:, 0]), 1, 0, **options)
    assert np.array_equal(alone.probabilities, fitted.probabilities[:, 0])


def test_what_cannot_be_fitted_is_named():
    with pytest.raises(UserError, match="train stays have one outcome"):
        gbt.fit_predict(ragged(labels=np.zeros(90)), 1, 0)
    with pytest.raises(UserError, match="budget"):
        gbt.fit_predict(ragged(), 0, 0)
    with pytest.raises(UserError, match="no test stays"):
        untested = ragged()
        untested.split[untested.split == "test"] = "train"
        gbt.fit_predict(untested, 1, 0)
    flat = Cohort(
        np.zeros((6, 1)),
        range(7),
        [0, 1] * 3,
        [*"abcdef"],
        [*"abcdef"],
        ["train", "train"] + ["val"] * 2 + ["test"] * 2,
        ["HR"],
    )
    with pytest.raises(UserError, match="no statistic varies"):
        gbt.fit_predict(flat, 1, 0)


def test_it_is_a_plugin_with_documented_options():
    assert plugins.names("risk.baselines") == ["gbt"]
    options = plugins.declared("risk.baselines", "gbt", "OPTIONS")
    assert all({"default", "description"} <= {*option} for option in options.values())
