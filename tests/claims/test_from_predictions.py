"""From synthetic predictions through the paired statistics to verdicts."""

from dataclasses import replace

import numpy as np

from clinbench.claims.assess import assess
from clinbench.claims.ledger import families
from clinbench.claims.verdicts import VERDICTS
from clinbench.evaluation.comparisons import compare_outcomes

REPLICATED, CONTRADICTED, INCONCLUSIVE, UNTESTABLE = VERDICTS
SEEDS = [0, 1, 2, 3, 4]
FAMILY = [family for family in families() if family.name == "mortality_lstm"]


def scored(rng, y, strengths, shared=1.0, own=0.4, of_seeds=0.0):
    """Score labels: a part that all rows share, luck of each row and seed as a whole, and noise of both; in (0, 1)."""
    common = rng.normal(0, shared, len(y))
    return {
        row: 1 / (1 + np.exp(2 - common - (strength + luck) * y - rng.normal(0, own, (len(SEEDS), len(y)))))
        for row, strength in strengths.items()
        for luck in [rng.normal(0, of_seeds, (len(SEEDS), 1))]
    }


def judged(place, rng, strengths, n=400, draws=200, seed=0, families=FAMILY, of_seeds=0.0):
    """Return the rows by name of claim."""
    y = (rng.random(n) < 0.2).astype(int)
    scores = scored(rng, y, strengths, of_seeds=of_seeds)
    pairs = compare_outcomes(y, scores, np.arange(n), draws=draws, seed=seed).pairs
    search = {"budget": 6, "selection": "validation", "alike": True}
    systems = {row: {"seeds": SEEDS, "search": search} for row in strengths}
    known = {"n": n, "systems": systems, "absent": {}, "draws": draws, "training_draws": 0}
    rows = assess(families, [place()], {"paired": known | {"pairs": pairs}}, 5)
    return {row["claim"]: row for row in rows}


def test_winner_tie_and_missing_arm(place):
    rows = judged(
        place, np.random.default_rng(2), {"bce": 1.2, "bce_scr": 1.2, "cbce_scr": 2.4}, n=1500, draws=500
    )
    won = rows["lstm_cbce_scr_auroc"]
    assert won["verdict"] == REPLICATED and won["low"] > 0.05
    tied = rows["lstm_bce_scr_auroc"]
    assert tied["verdict"] == INCONCLUSIVE and abs(tied["difference"]) < 0.02
    missing = rows["lstm_csce_scr_auroc"]
    assert missing["verdict"] == UNTESTABLE and missing["difference"] is None
    assert "CSCE+λSCR is no row of this run" in missing["why"]


def test_a_planted_loser_is_contradicted(place):
    strengths = {"bce": 2.4, "bce_scr": 1.2, "cbce_scr": 1.2}
    rows = judged(place, np.random.default_rng(1), strengths, n=1500, draws=500)
    assert rows["lstm_cbce_scr_auroc"]["verdict"] == CONTRADICTED
    assert rows["lstm_cbce_scr_all"]["verdict"] == CONTRADICTED


def test_of_200_nulls_no_more_are_decided_than_by_chance(place):
    claims = tuple(claim for claim in FAMILY[0].claims if claim.name == "lstm_cbce_scr_auroc")
    alone = [replace(FAMILY[0], claims=claims)]  # of one claim, so that Holm's correction takes nothing off
    verdicts, trials = [], 200
    for seed in range(trials):
        rng, strengths = np.random.default_rng(seed), {"bce": 1.5, "cbce_scr": 1.5}
        (row,) = judged(
            place, rng, strengths, n=200, draws=199, seed=seed, families=alone, of_seeds=0.2
        ).values()
        verdicts.append(row["verdict"])
    assert UNTESTABLE not in verdicts
    # Each is one side of .05; two binomial errors of 200 trials are 2.2 %.
    allowed = 0.025 + 2 * np.sqrt(0.025 * 0.975 / trials)
    assert verdicts.count(REPLICATED) / trials <= allowed
    assert verdicts.count(CONTRADICTED) / trials <= allowed
    assert 0 < verdicts.count(REPLICATED) + verdicts.count(CONTRADICTED) <= 0.075 * trials
