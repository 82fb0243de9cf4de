"""Verdicts on planted results: winners, ties, losers, missing arms, and conditions that do not hold."""

import copy
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from clinbench.claims.assess import assess
from clinbench.claims.ledger import families
from clinbench.claims.verdicts import VERDICTS

REPLICATED, CONTRADICTED, INCONCLUSIVE, UNTESTABLE = VERDICTS


def judged(places, records, min_seeds=5):
    """Return the rows by name of claim."""
    named = {place.family for place in places}
    rows = assess([family for family in families() if family.name in named], places, records, min_seeds)
    assert len({row["claim"] for row in rows}) == len(rows)
    return {row["claim"]: row for row in rows}


def test_a_known_winner_is_replicated_a_known_loser_contradicted_and_a_tie_inconclusive(record, place, plant):
    plant(record, "cbce_scr", "bce", "auroc", 0.02, 0.001)
    plant(record, "csce_scr", "bce", "auroc", -0.02, 0.001)
    rows = judged([place()], {"paired": record})
    won = rows["lstm_cbce_scr_auroc"]
    assert (won["verdict"], won["difference"]) == (REPLICATED, pytest.approx(0.02))
    assert (won["low"], won["high"]) == (pytest.approx(0.018), pytest.approx(0.022))
    assert won["p_holm"] == pytest.approx(0.007)  # the smallest p of seven tests
    assert (won["n"], won["seeds"], won["published_first"], won["published_second"]) == (4000, 5, 0.86, 0.854)
    assert won["own"] == "no" and "not the paper's data, MIMIC-III" in won["setting"]
    lost = rows["lstm_csce_scr_auroc"]
    assert lost["verdict"] == CONTRADICTED and "opposite direction" in lost["why"]
    assert rows["lstm_bce_scr_auroc"]["verdict"] == INCONCLUSIVE


def test_holm_and_the_interval_both_have_to_agree(record, place, plant):
    plant(record, "cbce_scr", "bce", "auroc", 0.02, 0.02)  # seven claims: 0.02 × 7 is above .05
    plant(record, "csce_scr", "bce", "auroc", 0.02, 0.001, se=0.011)  # the interval includes 0
    rows = judged([place()], {"paired": record})
    assert rows["lstm_cbce_scr_auroc"]["verdict"] == INCONCLUSIVE
    assert "Holm" in rows["lstm_cbce_scr_auroc"]["why"]
    assert rows["lstm_csce_scr_auroc"]["verdict"] == INCONCLUSIVE
    assert "interval includes 0" in rows["lstm_csce_scr_auroc"]["why"]


def test_a_claim_of_several_comparisons_needs_all_of_them(record, place, plant):
    for metric in ("auroc", "auprc", "accuracy", "minpse"):
        plant(record, "cbce_scr", "bce", metric, 0.02, 0.001)
    rows = judged([place()], {"paired": record})
    assert rows["lstm_cbce_scr_all"]["verdict"] == REPLICATED
    assert len(rows["lstm_cbce_scr_all"]["comparisons"]) == 4
    plant(record, "cbce_scr", "bce", "minpse", 0.0001, 0.9)
    row = judged([place()], {"paired": record})["lstm_cbce_scr_all"]
    assert (row["verdict"], row["metric"], row["p"]) == (INCONCLUSIVE, "minpse", 0.9)
    assert "own table has its min(Se,P+) below" in row["why"]
    plant(record, "cbce_scr", "bce", "minpse", -0.02, 0.001)
    row = judged([place()], {"paired": record})["lstm_cbce_scr_all"]
    assert (row["verdict"], row["p"]) == (CONTRADICTED, pytest.approx(0.004))  # Bonferroni over four
    assert "of 4 comparisons the one most against it" in row["why"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda record: record["systems"].pop("bce"), "BCE is no row of this run"),
        (
            lambda record: (record["systems"].pop("bce"), record["absent"].update(bce="no stays.")),
            "BCE could not run: no stays",
        ),
        (
            lambda record: record["systems"]["bce"]["search"].update(budget=5),
            "search budgets differ: CBCE+λSCR 6, BCE 5 trainings per seed",
        ),
        (
            lambda record: record["systems"]["bce"]["search"].update(selection="test"),
            "BCE was selected on the test set",
        ),
        (lambda record: record["systems"]["bce"].update(seeds=[0, 1]), "2 seeds, fewer than the 5"),
        (
            lambda record: record["systems"]["bce"]["search"].update(budget=None),
            "the search budget of BCE is not known",
        ),
        (
            lambda record: record["systems"]["bce"]["search"].update(selection=None),
            "it is not known on what BCE was selected",
        ),
        (
            lambda record: record["systems"]["bce"]["search"].update(alike=False),
            "the seeds of BCE were not searched alike",
        ),
    ],
)
def test_a_test_that_is_not_fair_is_none(record, place, plant, change, why):
    plant(record, "cbce_scr", "bce", "auroc", 0.02, 0.001)
    change(record)
    row = judged([place()], {"paired": record})["lstm_cbce_scr_auroc"]
    assert row["verdict"] == UNTESTABLE and why in row["why"]
    assert row["difference"] is row["p"] is row["p_holm"] is row["n"] is None
    assert row["comparisons"] == []


def test_an_undefined_difference_is_no_zero(record, place, plant):
    plant(record, "cbce_scr", "bce", "auroc", None, None)
    row = judged([place()], {"paired": record})["lstm_cbce_scr_auroc"]
    assert (row["verdict"], row["difference"], row["why"]) == (UNTESTABLE, None, "undefined for bce")


def test_synthetic_data_replicate_nothing_and_cost_no_correction(record, place, plant):
    plant(record, "cbce_scr", "bce", "auroc", 0.02, 0.001)
    rows = judged([place(synthetic=True)], {"paired": record})
    assert {row["verdict"] for row in rows.values()} == {UNTESTABLE}
    row = rows["lstm_cbce_scr_auroc"]
    assert "synthetic" in row["why"] and row["p_holm"] is None
    assert row["difference"] == pytest.approx(0.02)


def test_a_place_that_is_not_run_says_so(place):
    rows = judged([place(files=None, refused="the track risk is not among tracks")], {})
    assert {row["why"].split(";")[0] for row in rows.values()} == {"the track risk is not among tracks"}


def test_untrained_systems_need_one_seed_only(record, place):
    fixed = {"budget": 0, "selection": None, "alike": True}
    systems = {name: {"seeds": [0], "search": fixed} for name in ("bm25", "minilm")}
    systems["bi_encoder"] = {"seeds": [0, 1, 2], "search": fixed}
    numbers = {"difference": -0.1, "se": 0.01, "interval": [-0.12, -0.08], "p": 0.001, "note": None}
    numbers |= {"n_valid": 1000, "n_swaps": 1000}
    compared = [("bm25", "exact_map10"), ("minilm", "exact_f1")]
    pairs = [
        {"first": name, "second": "bi_encoder", "metric": metric, **numbers} for name, metric in compared
    ]
    coding = record | {"systems": systems, "pairs": pairs}
    where = place(
        "codiesp", dataset="codiesp", model="", trained=("bi_encoder",), encoders={"bi_encoder": "minilm"}
    )
    rows = judged([where], {"paired": coding}, min_seeds=3)
    row = rows["codiesp_bi_bm25"]
    assert (row["verdict"], row["difference"], row["low"], row["seeds"]) == (REPLICATED, 0.1, 0.08, 3)
    assert "trained systems start from MiniLM, the paper's from bsc-bio-ehr-es" in row["setting"]
    assert rows["codiesp_cross_minilm"]["why"].startswith("Cross-encoder is no row")
    assert rows["codiesp_category_easier"]["why"].startswith("it cannot fail")
    assert judged([where], {"paired": coding}, min_seeds=4)["codiesp_bi_bm25"]["verdict"] == UNTESTABLE


def test_a_difference_that_few_resamples_define_is_not_tested(record, place, plant):
    for valid, swaps, tested in ((949, 1000, False), (1000, 949, False), (950, 1000, True)):
        plant(record, "cbce_scr", "bce", "auroc", 0.02, 0.001, n_valid=valid, n_swaps=swaps)
        row = judged([place()], {"paired": record})["lstm_cbce_scr_auroc"]
        assert (row["verdict"] == REPLICATED, row["valid"]) == ((True, 0.95) if tested else (False, None))
        told = "CBCE+λSCR and BCE are both defined in 949 of 1,000 resamples only, fewer than 95 %"
        assert tested or (row["verdict"], row["why"]) == (UNTESTABLE, told)
    assert row["p_holm"] == pytest.approx(0.007)


@pytest.fixture
def levels(record, place):
    """Return a place of the imbalance study, of 3 draws, and its records by level in which nothing differs."""
    records = {level: copy.deepcopy(record) for level in ("all", "0.05", "0.01", "0.001")}
    for level, one in records.items():
        one["training_draws"] = 0 if level == "all" else 3
    return place("imbalance", files={level: level for level in records}), records


def test_gains_are_compared_between_levels(levels, record, place, plant):
    where, records = levels
    for level, gain in {"all": 0.001, "0.05": 0.002, "0.01": 0.003, "0.001": 0.05}.items():
        plant(records[level], "cbce_scr", "bce", "auroc", gain, 0.5, se=0.003, df=4 if level == "all" else 2)
    row = judged([where], records)["imbalance_most_cbce_scr"]
    se = math.hypot(0.003, 0.003)
    assert row["verdict"] == REPLICATED
    assert row["difference"] == pytest.approx(0.05 - 0.003)  # the least of the three
    assert row["low"] == pytest.approx(0.047 - stats.t.ppf(0.975, 4) * se)  # Welch: of 2 and 2 degrees 4
    assert row["p"] == pytest.approx(2 * stats.t.sf(0.047 / se, 4))
    assert (row["training_draws"], row["seeds"]) == (3, 5)
    skipped = record | {"systems": {}, "absent": {"cbce_scr": "3 training positives expected, fewer than 5."}}
    row = judged([where], records | {"0.001": skipped})["imbalance_most_cbce_scr"]
    assert row["verdict"] == UNTESTABLE and "3 training positives expected" in row["why"]
    fewer = {level: level for level in ("all", "0.05")}
    row = judged([place("imbalance", files=fewer)], records)["imbalance_most_cbce_scr"]
    assert row["why"] == "the level 0.1 % positive is not among those of this run"


def test_two_draws_of_the_training_stays_are_too_few(levels, plant):
    where, records = levels
    records["0.05"]["training_draws"] = 2
    row = judged([where], records)["imbalance_5_cbce_scr"]
    assert row["why"] == "2 draws of the training stays, fewer than 3"
    assert judged([where], records)["imbalance_1_cbce_scr"]["verdict"] == INCONCLUSIVE


def test_an_interaction_against_an_exact_zero_is_no_surer_than_the_difference(levels, plant):
    where, records = levels
    spread = [0.0, 0.02, 0.04]
    own = stats.ttest_1samp(spread, 0)
    plant(records["0.001"], "cbce_scr", "bce", "auroc", 0.02, own.pvalue, se=stats.sem(spread), df=2)
    for level in ("all", "0.05", "0.01"):
        plant(records[level], "cbce_scr", "bce", "auroc", 0.0, 1.0, se=0.0)
    row = judged([where], records)["imbalance_most_cbce_scr"]
    assert row["p"] == pytest.approx(own.pvalue)
    assert (row["low"], row["high"]) == pytest.approx(tuple(own.confidence_interval(0.95)))


def test_interactions_that_are_none_are_seldom_decided(levels, plant):
    where, records = levels
    rng, trials, verdicts = np.random.default_rng(0), 600, []
    for _ in range(trials):
        for level in records:
            drawn = rng.normal(0.01, 0.02, 5 if level == "all" else 3)  # as large a gain at all levels
            plant(
                records[level], "cbce_scr", "bce", "auroc", drawn.mean(), 0.5,
                se=drawn.std(ddof=1) / math.sqrt(len(drawn)), df=len(drawn) - 1,
            )  # fmt: skip
        verdicts.append(alone(where, records, "imbalance_most_cbce_scr"))
    allowed = 0.025 + 2 * math.sqrt(0.025 * 0.975 / trials)  # one side of .05, and the error of the trials
    assert verdicts.count(REPLICATED) / trials <= allowed
    assert verdicts.count(CONTRADICTED) / trials <= allowed
    assert verdicts.count(CONTRADICTED) > 0  # three comparisons, the worst of which is enough


def alone(where, records, claim):
    """Return the verdict on one claim as if it were the only one of its family."""
    (family,) = [family for family in families() if family.name == where.family]
    only = replace(family, claims=tuple(one for one in family.claims if one.name == claim))
    return assess([only], [where], records, 5)[0]["verdict"]


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([1.02, 1.03, 0.99, 1.01, 1.0, 1.02, 1.01], REPLICATED),
        ([1.52, 1.53, 1.49, 1.51, 1.5, 1.52, 1.51], CONTRADICTED),
        ([1.2, 0.8, 1.4, 0.9, 1.1, 0.7, 1.3], INCONCLUSIVE),
        ([1.0] * 7, REPLICATED),
    ],
)
def test_equal_running_times_are_tested_for_equivalence(place, ratios, verdict):
    timing = {"n": 3400, "device": "cpu", "threads": 2, "batch_size": 64}
    timing["ratios"] = {"bce": [1.0] * 7, "bce_scr": ratios}
    timing["ratios"] |= {"cbce_scr": [1.0] * 7, "csce_scr": [1.001] * 7}
    row = judged([place("running_time_lstm", files={"": "time"})], {"time": timing})["time_lstm"]
    assert row["verdict"] == verdict
    assert row["setting"].endswith("timed on cpu, 2 threads, 64 stays a step")
    if ratios[0] != 1.0:
        assert row["first"] == "bce_scr" and row["n"] == 3400
    del timing["ratios"]["csce_scr"]
    row = judged([place("running_time_lstm", files={"": "time"})], {"time": timing})["time_lstm"]
    assert row["why"] == "CSCE+λSCR is no row of this run"
