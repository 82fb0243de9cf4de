"""Comparisons of rows: a planted winner, a planted tie, the undefined, seeds, and simulated nulls."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from clinbench.errors import UserError
from clinbench.evaluation.binary import binary_metrics
from clinbench.evaluation.bootstrap import draw_weights
from clinbench.evaluation.comparisons import compare_outcomes, compare_systems
from clinbench.evaluation.documents import codes_of, document_metrics
from clinbench.evaluation.paired import Scored, compare, variances
from clinbench.evaluation.retrieval import retrieval_rows
from clinbench.significance import find, turned

STAYS = 400


def outcome(seed, gains, seeds=1, stays=STAYS, spread=0.0):
    """Labels, and scores of a row for each gain: one signal with noise of its own, and seeds that differ."""
    rng = np.random.default_rng(seed)
    y = rng.random(stays) < 0.25
    common = rng.normal(size=stays) + y
    scores = {
        f"row{at}": np.stack(
            [common + (gain + spread * rng.normal()) * y + 0.5 * rng.normal(size=stays) for _ in range(seeds)]
        )
        for at, gain in enumerate(gains)
    }
    return y, scores, np.arange(stays)


def test_a_planted_winner_is_found_in_each_curve():
    pairs, _ = compare_outcomes(*outcome(0, [2, 0]), draws=300)
    for metric in ("auroc", "auprc", "average_precision", "minpse"):
        pair = find(pairs, "row0", "row1", metric)
        assert pair["difference"] > 0 and pair["interval"][0] > 0
        assert pair["p"] < 0.01 and pair["p_bootstrap"] < 0.01
        assert pair["n_valid"] == 300 and pair["note"] is None
    assert find(pairs, "row0", "row1", "auroc")["p_delong"] < 0.01
    assert find(pairs, "row0", "row1", "auprc")["p_delong"] is None


def test_a_planted_tie_is_no_difference():
    y, scores, patients = outcome(1, [0.5])
    pairs, _ = compare_outcomes(y, {"one": scores["row0"], "other": scores["row0"] * 2}, patients, draws=100)
    pair = find(pairs, "one", "other", "auroc")
    assert pair["difference"] == 0 and pair["interval"] == [0, 0] and pair["se"] == 0
    assert pair["p"] == pair["p_bootstrap"] == pair["p_delong"] == 1


def test_resamples_are_those_of_a_literal_bootstrap_of_both_rows():
    y, scores, patients = outcome(12, [0.3, 0], seeds=2, stays=60)
    patients = patients // 2
    pair = find(compare_outcomes(y, scores, patients, draws=40).pairs, "row0", "row1", "auprc")
    rows_of = [np.flatnonzero(patients == patient) for patient in range(30)]
    drawn = []
    for weights in draw_weights(30, 40, seed=0):
        rows = np.concatenate([rows_of[unit] for unit in np.repeat(np.arange(30), weights)])
        of_seed = [
            [binary_metrics(y[rows], one[rows])["auprc"] for one in scores[name]] for name in ("row0", "row1")
        ]
        drawn.append(np.subtract(*of_seed))
    drawn = np.transpose(drawn)
    points = np.subtract(
        *([binary_metrics(y, one)["auprc"] for one in scores[name]] for name in ("row0", "row1"))
    )
    units = np.cov(*drawn)[0, 1]  # what the two seeds share over the draws
    assert pair["difference"] == pytest.approx(points.mean())
    assert units > 0 and pair["se_units"] ** 2 == pytest.approx(units)
    assert pair["se_seeds"] ** 2 == pytest.approx(points.var(ddof=1) / 2) and pair["df"] == 1
    assert pair["se"] ** 2 == pytest.approx(units + points.var(ddof=1) / 2)


def test_seeds_that_differ_widen_the_interval_and_raise_p():
    same, apart = (outcome(3, [1.0, 0], seeds=3, spread=spread) for spread in (0.0, 1.5))
    calm, wild = (
        find(compare_outcomes(*one, draws=300).pairs, "row0", "row1", "auroc") for one in (same, apart)
    )
    assert np.diff(wild["interval"]) > 2 * np.diff(calm["interval"])
    assert wild["p"] > calm["p"]


def test_the_seeds_alone_give_the_t_test():
    points = np.array([0.02, 0.05, 0.01, 0.04])
    still = np.repeat(points[:, None], 5, axis=1)  # no resample changes anything
    parts = variances(points, still)
    assert parts.units == 0
    assert points.mean() / np.sqrt(parts.seeds) == pytest.approx(ttest_1samp(points, 0).statistic)


def test_what_units_and_seeds_do_together_is_counted_once():
    rng = np.random.default_rng(0)
    noise = [rng.normal(size=(5, 100)) for _ in range(400)]  # of units and seeds, none of either alone
    weights = draw_weights(100, 60, 0).T / 100
    found = np.array([variances(one.mean(axis=1), one @ weights) for one in noise])
    assert found[:, 1].mean() == pytest.approx(1 / (100 * 5), rel=0.15)
    assert found[:, 0].mean() < 0.3 * found[:, 1].mean()
    assert variances(np.array([0.1]), np.zeros((1, 9))) == (0, 0)


@pytest.mark.parametrize(("seeds", "of_units"), [(3, 0.5), (5, 0.0), (10, 0.0)])
def test_errors_are_as_many_as_nominal_if_seeds_differ_as_a_whole_and_by_unit(seeds, of_units):
    trials, draws, units, rng = 2000, 200, 200, np.random.default_rng(seeds)
    weights = draw_weights(units, draws, 0).T / units
    swaps = np.where(rng.random((draws, units)) < 0.5, 1, -1) / units
    whole = of_units * rng.normal(size=(trials, 1, units)) + 0.1 * rng.normal(size=(trials, seeds, 1))
    values = 0.01 * (
        whole + rng.normal(size=(trials, seeds, units))
    )  # no difference, but noise of three kinds
    drawn = (values.reshape(-1, units) @ weights).reshape(trials, seeds, draws)
    nulls = values.mean(axis=1) @ swaps.T
    found, still = [], Scored({"score": np.zeros(1)}, {"score": np.zeros((1, draws))})
    for trial in range(trials):
        one = Scored({"score": values[trial].mean(axis=1)}, {"score": drawn[trial]})
        swapped = {"score": nulls[trial]}
        pairs, _ = compare({"one": one, "other": still}, lambda *_, null=swapped: null, seed=trial)
        low, high = pairs[0]["interval"]
        found.append((pairs[0]["p"] < 0.05, not low <= 0 <= high, pairs[0]["p"] < 0.01))
    wrong, missed, sure = np.mean(found, axis=0)
    for rate, nominal in ((wrong, 0.05), (missed, 0.05), (sure, 0.01)):
        assert rate <= nominal + 3 * np.sqrt(nominal * (1 - nominal) / trials)  # binomial error of the trials
    assert wrong > 0.02  # nor is the test so careful that it finds nothing


def test_swaps_that_are_undefined_are_left_out_and_counted():
    points, drawn = np.array([0.3]), np.linspace(0.2, 0.4, 20)[None]
    rows = {
        "one": Scored({"f1": points}, {"f1": drawn}),
        "other": Scored({"f1": points * 0}, {"f1": drawn * 0}),
    }
    null = np.array([np.nan] * 10 + [0.0] * 8 + [0.5])
    (pair,) = compare(rows, lambda *_: {"f1": null}).pairs
    assert (pair["n_swaps"], pair["n_valid"]) == (9, 20)
    assert pair["p"] == pytest.approx((1 + 1) / (1 + 9))
    assert pair["note"] == "undefined in 10 of 19 swaps, which are left out"
    (pair,) = compare(rows, lambda *_: {"f1": null[:10]}).pairs
    assert pair["p"] is None and pair["n_swaps"] == 0


def test_draws_of_the_training_stays_are_what_a_row_is_repeated_over():
    y, scores, patients = outcome(4, [0.4, 0], seeds=6)
    nested = {name: rows.reshape(3, 2, -1) for name, rows in scores.items()}
    pair = find(compare_outcomes(y, nested, patients, draws=80).pairs, "row0", "row1", "auroc")
    flat = find(compare_outcomes(y, scores, patients, draws=80).pairs, "row0", "row1", "auroc")
    assert pair["difference"] == pytest.approx(flat["difference"])
    single = {name: rows[None] for name, rows in scores.items()}
    assert compare_outcomes(y, single, patients, draws=80) == compare_outcomes(y, scores, patients, draws=80)


def test_one_class_is_undefined_and_one_class_resamples_are_counted():
    scores = {"a": np.linspace(0, 1, 8)[None], "b": np.linspace(1, 0, 8)[None]}
    pairs, _ = compare_outcomes(np.zeros(8), scores, np.arange(8), draws=50)
    auroc, accuracy = (find(pairs, "a", "b", metric) for metric in ("auroc", "accuracy"))
    assert [auroc[key] for key in ("difference", "se", "interval", "p", "p_bootstrap", "p_delong")] == [
        None
    ] * 6
    assert auroc["note"] == "auroc is undefined on this test set for a and b" and auroc["n_valid"] == 0
    assert accuracy["difference"] == 0 and accuracy["p"] == 1
    rare, _ = compare_outcomes(np.arange(8) == 3, scores, np.arange(8), draws=200)
    without = (draw_weights(8, 200, 0)[:, 3] == 0).sum()
    auroc = find(rare, "a", "b", "auroc")
    assert auroc["n_valid"] == 200 - without
    assert auroc["note"] == f"undefined in {without} of 200 resamples, which are left out"
    assert auroc["p"] is not None and auroc["p_delong"] is None


def test_labels_are_compared_in_their_averages():
    y, scores, patients = outcome(5, [2, 0])
    other, more, _ = outcome(6, [2, 0])
    stacked = {name: np.stack([scores[name], more[name]], axis=-1) for name in scores}
    pairs, _ = compare_outcomes(np.stack([y, other], axis=-1), stacked, patients, draws=60)
    assert {pair["metric"] for pair in pairs} == {"micro_auroc", "macro_auroc", "weighted_auroc"}
    assert all(pair["difference"] > 0 and pair["p"] < 0.05 for pair in pairs)
    assert {pair["p_delong"] for pair in pairs} == {None}


def test_rows_of_different_seeds_are_refused_but_one_seed_meets_several():
    y, scores, patients = outcome(7, [0.3, 0], seeds=3)
    one = {"row0": scores["row0"], "row1": scores["row1"][:1]}
    assert len(compare_outcomes(y, one, patients, draws=20).pairs) == 5
    with pytest.raises(UserError, match="row1: 2"):
        compare_outcomes(y, {"row0": scores["row0"], "row1": scores["row1"][:2]}, patients, draws=20)


def rankings(seed, chance, queries=120):
    rng = np.random.default_rng(seed)
    return [[("A1", 2.0), ("B1", 1.0)] if rng.random() < chance else [("B1", 1.0)] for _ in range(queries)]


def test_systems_are_compared_at_each_level_and_by_document():
    runs = {"good": [rankings(0, 0.9)], "poor": [rankings(1, 0.5), rankings(2, 0.4)], "silent": [[[]] * 120]}
    golds, docs = [("A1",)] * 120, np.array([f"d{at // 3:02}" for at in range(120)])
    levels = {"exact": str, "category": lambda code: code[0]}
    gold = {doc: ["a1"] for doc in docs}
    predicted = {
        name: [
            codes_of((doc, one[0][0]) for doc, one in zip(docs, run, strict=True) if one) for run in of_seeds
        ]
        for name, of_seeds in runs.items()
    }
    pairs, values = compare_systems(
        runs, golds, docs, levels, depth=5, draws=200, documents=(gold, predicted)
    )
    metrics = {pair["metric"] for pair in pairs}
    assert (
        metrics >= {"exact_f1", "category_map10", "exact_r5", "exact_doc_f1"} and "exact_r10" not in metrics
    )
    best = find(pairs, "good", "poor", "exact_f1")
    rows = {row["metric"]: row for row in retrieval_rows(
        runs["poor"], golds, docs, {"exact": str}, {"all": np.ones(120, bool)}, columns={}, draws=200
    )}  # fmt: skip
    assert values["poor"]["exact_f1"]["mean"] == pytest.approx(rows["f1"]["value"])
    assert values["poor"]["exact_f1"]["sd"] > 0 and values["good"]["exact_f1"]["sd"] is None
    difference = values["good"]["exact_f1"]["mean"] - rows["f1"]["value"]
    assert best["difference"] == pytest.approx(difference)
    undefined = find(pairs, "good", "silent", "exact_precision")
    assert undefined["p"] is None and undefined["note"].endswith("for silent")
    assert find(pairs, "good", "silent", "exact_recall")["p"] < 0.01
    expected = [
        document_metrics(gold, one[0])["doc_recall"] for one in (predicted["good"], predicted["silent"])
    ]
    found = find(pairs, "good", "silent", "exact_doc_recall")["difference"]
    assert found == pytest.approx(expected[0] - 0) and expected[1] == 0


def test_one_row_has_values_and_no_pairs():
    y, scores, patients = outcome(10, [0.5], seeds=2)
    pairs, values = compare_outcomes(y, scores, patients, draws=10)
    each = [binary_metrics(y, one)["auroc"] for one in scores["row0"]]
    assert pairs == []
    assert values["row0"]["auroc"] == pytest.approx({"mean": np.mean(each), "sd": np.std(each, ddof=1)})


def test_a_comparison_can_be_turned_round():
    pairs, _ = compare_outcomes(*outcome(8, [0.4, 0]), draws=40)
    one, other = find(pairs, "row0", "row1", "auroc"), find(pairs, "row1", "row0", "auroc")
    assert other["difference"] == -one["difference"] and other["interval"] == [
        -end for end in one["interval"][::-1]
    ]
    assert other["p"] == one["p"] and turned(other) == one
    with pytest.raises(UserError, match="not compared"):
        find(pairs, "row0", "row9", "auroc")


@pytest.mark.parametrize(("seeds", "spread"), [(1, 0.0), (2, 0.5), (5, 0.0), (5, 0.5)])
def test_equal_rows_are_seldom_told_apart(seeds, spread):
    trials, wrong, missed = 120, 0, 0
    for trial in range(trials):
        pair = find(
            compare_outcomes(*outcome((9, trial), [1, 1], seeds, 100, spread), draws=59).pairs,
            *("row0", "row1", "auroc"),
        )
        wrong += pair["p"] < 0.05
        missed += not pair["interval"][0] <= 0 <= pair["interval"][1]
    assert wrong / trials <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / trials)
    assert missed / trials <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)
    if seeds == 1 or spread:
        assert wrong > 0  # nor is the test so careful that it never errs
