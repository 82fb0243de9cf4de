"""From synthetic predictions through the paired statistics to verdicts."""

import numpy as np

from clinbench.claims.assess import assess
from clinbench.claims.ledger import families
from clinbench.claims.verdicts import VERDICTS
from clinbench.evaluation.comparisons import compare_outcomes

REPLICATED, CONTRADICTED, INCONCLUSIVE, UNTESTABLE = VERDICTS
SEEDS = [0, 1, 2, 3, 4]
FAMILY = [family for family in families() if family.name == "mortality_lstm"]


def scored(rng, y, strengths, shared=1.0, own=0.4):
    """Score labels: a part that all rows share, and noise of each row and seed; in (0, 1)."""
    common = rng.normal(0, shared, len(y))
    return {
        row: 1 / (1 + np.exp(2 - common - strength * y - rng.normal(0, own, (len(SEEDS), len(y)))))
        for row, strength in strengths.items()
    }


def judged(place, rng, strengths, n=400, draws=200, seed=0):
    """Return the rows by name of claim."""
    y = (rng.random(n) < 0.2).astype(int)
    pairs = compare_outcomes(y, scored(rng, y, strengths), np.arange(n), draws=draws, seed=seed).pairs
    search = {"budget": 6, "selection": "validation"}
    systems = {row: {"seeds": SEEDS, "search": search} for row in strengths}
    record = {"n": n, "systems": systems, "absent": {}, "pairs": pairs}
    return {row["claim"]: row for row in assess(FAMILY, [place()], {"paired": record}, 5)}


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


def test_of_200_null_comparisons_fewer_than_5_percent_are_replicated(place):
    verdicts = []
    for seed in range(200):
        rows = judged(
            place, np.random.default_rng(seed), {"bce": 1.5, "cbce_scr": 1.5}, n=200, draws=99, seed=seed
        )
        verdicts.append(rows["lstm_cbce_scr_auroc"]["verdict"])
    assert UNTESTABLE not in verdicts
    assert verdicts.count(REPLICATED) < 0.05 * len(verdicts)
    assert verdicts.count(INCONCLUSIVE) > 0.9 * len(verdicts)
