"""The numbers of the default run lie where they must: `make test-default`."""

import csv
import json

import pytest
from tests.paths import ROOT


def rows(table):
    with open(ROOT / f"results/tables/{table}.csv", newline="") as handle:
        return [row for row in csv.DictReader(handle) if row["subset"] == "all"]


def test_every_row_is_above_chance_and_below_bayes():
    record = json.loads((ROOT / "results/open/risk/synthetic/generated.run.json").read_text())
    bayes = record["summary"]["bayes_auroc"]
    assert 0.80 <= bayes <= 0.95
    found = {row["system"]: float(row["value"]) for row in rows("mortality_lstm") if row["metric"] == "auroc"}
    assert set(found) == {"bce", "bce_scr", "cbce_scr", "csce_scr", "gbt"}
    for system, auroc in found.items():
        assert 0.70 <= auroc <= bayes + 0.02, system


def test_training_lifts_the_bi_encoder_clear_of_its_start():
    cells = {
        row["system"]: row
        for row in rows("coding_icd10cm_inclusion_terms")
        if (row["metric"], row["level"]) == ("map10", "exact")
    }
    assert float(cells["bi_encoder"]["ci_low"]) > float(cells["minilm"]["ci_high"])


def test_the_cross_encoder_trains_on_enough_groups():
    path = ROOT / "results/open/coding/icd10cm_inclusion_terms/groups.run.json"
    assert json.loads(path.read_text())["n"] >= 1000


@pytest.mark.parametrize("table", ["mortality_lstm", "coding_icd10cm_inclusion_terms"])
def test_every_number_has_n_and_interval(table):
    for row in rows(table):
        assert int(row["n"]) > 100
        assert row["ci_low"] and row["ci_high"]
