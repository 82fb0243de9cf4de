"""What is compared with what."""

import json
from types import SimpleNamespace

import pytest

from clinbench.errors import UserError
from planning.coding import CodingPlan
from planning.paired import PairedPlan
from planning.reports import ReportPlan
from planning.risk import RiskPlan
from planning.studies import StudyPlan

CELL = SimpleNamespace(cohort="synthetic", model="mortality_lstm", level="0.05", benchmark="codiesp")
BLOCK = "results/open/risk/synthetic/mortality_lstm"


def plan_of(config):
    risk = RiskPlan(config)
    return PairedPlan(ReportPlan(risk, CodingPlan(config)), StudyPlan(risk))


def test_all_rows_and_seeds_of_a_table_meet(config):
    config["risk"]["rows"], config["seeds"] = ["bce", "gbt"], [3, 4]
    plan = plan_of(config)
    assert plan.risk_files("predictions.csv")(CELL) == [
        f"{BLOCK}/all/{row}/seed={seed}/predictions.csv" for row in ("bce", "gbt") for seed in (3, 4)
    ]
    assert json.loads(plan.risk_systems(CELL)) == [["bce", [3, 4]], ["gbt", [3, 4]]]
    config["risk"]["external"] = {"theirs": "theirs.csv"}
    assert json.loads(plan.risk_systems(CELL))[2:] == [["theirs", [3]]]
    assert plan.risk_files("run.json")(CELL)[-1].endswith("/theirs/seed=3/run.json")
    config["risk"]["external"] = {}
    assert plan.level_files("run.json")(CELL) == [f"{BLOCK}/imbalance/0.05/bce/run.json"]
    assert json.loads(plan.level_systems(CELL)) == [["bce", [3, 4]]]


def test_a_deterministic_system_meets_the_others_with_one_seed(config):
    config["coding"]["systems"], config["seeds"] = ["bm25", "bi_encoder"], [0, 1]
    plan = plan_of(config)
    assert json.loads(plan.coding_systems(CELL)) == [["bm25", [0]], ["bi_encoder", [0, 1]]]
    assert len(plan.coding_files("run.trec")(CELL)) == 3


def test_a_system_that_is_not_at_hand_is_named_and_not_compared(config):
    config["coding"]["encoders"]["nowhere"] = {"hub": "nobody/nothing"}
    config["coding"]["retrievers"]["other"] = {"kind": "dense", "encoder": "nowhere", "optional": True}
    config["coding"]["systems"] = ["other", "bm25"]
    plan = plan_of(config)
    assert [*json.loads(plan.absent_systems(CELL))] == ["other"]
    assert json.loads(plan.coding_systems(CELL)) == [["bm25", [0]]]
    assert "results/tables/coding_differences.tex" not in plan.reports.targets()
    config["coding"]["systems"] = ["other", "bm25", "char_tfidf"]
    plan = plan_of(config)
    assert "results/tables/coding_differences.tex" in plan.reports.targets()
    assert plan.reference(SimpleNamespace(track="coding_")) == "bm25"


def test_differences_are_from_plain_bce_where_there_is_one(config):
    config["risk"]["rows"] = ["csce_scr", "bce"]
    config["risk"]["studies"] = ["differences", "imbalance"]
    risk = SimpleNamespace(track="")
    plan = plan_of(config)
    assert plan.reference(risk) == "bce"
    files = plan.of_differences(risk)
    metrics = "results/metrics/risk/synthetic/mortality_lstm"
    assert files[0] == f"{metrics}/paired.json" and f"{metrics}/imbalance/0.05/paired.json" in files
    assert plan.differences_runs(risk)[0] == f"{metrics}/paired.run.json"
    config["risk"] |= {"rows": ["gbt", "csce_scr"], "studies": ["differences"]}
    assert plan_of(config).reference(risk) == "gbt"
    config["risk"]["rows"] = ["bce"]
    with pytest.raises(UserError, match="differences compares rows"):
        plan_of(config)
