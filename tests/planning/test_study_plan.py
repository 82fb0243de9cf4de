"""What the rules of the studies are told."""

import json
from types import SimpleNamespace

import pytest

from clinbench.errors import UserError
from planning.risk import RiskPlan
from planning.studies import StudyPlan

CELL = SimpleNamespace(
    cohort="synthetic", model="mortality_lstm", sample="all", row="bce_scr", batch="64", seed="0"
)


def test_the_imbalance_study_covers_every_level_draw_and_loss(config):
    config["risk"]["imbalance"] |= {"levels": [0.05, 0.001], "draws": 2}
    studies = StudyPlan(RiskPlan(config))
    metrics = studies.imbalance_metrics(None)
    assert "results/metrics/risk/synthetic/mortality_lstm/imbalance/0.001/csce_scr.json" in metrics
    assert "results/metrics/risk/synthetic/mortality_lstm/imbalance/all/bce.json" in metrics
    assert not [path for path in metrics if "gbt" in path]
    cell = SimpleNamespace(cohort="synthetic", model="mortality_lstm", row="bce", level="0.05")
    files = studies.thinned("history.json")(cell)
    assert len(files) == 2 * 2 and "positives=0.05,draw=1/bce/batch=64" in files[2]
    cell.level = "all"
    assert {path.split("/")[5] for path in studies.thinned("history.json")(cell)} == {"positives=all,draw=0"}


def test_the_search_of_every_loss_and_seed_is_audited_and_no_baseline(config):
    config["risk"] |= {"tables": ["mortality_lstm", "mortality_concare"], "rows": ["bce", "cbce_scr", "gbt"]}
    studies = StudyPlan(RiskPlan(config | {"seeds": [3, 4]}))
    cell = "results/open/risk/synthetic/mortality_concare/all"
    assert studies.audits(SimpleNamespace(model="mortality_concare")) == [
        f"{cell}/{row}/seed={seed}/audit.run.json" for row in ("bce", "cbce_scr") for seed in (3, 4)
    ]
    for study in ("selection_leak", "learning_curves"):
        assert len(studies.table_inputs(SimpleNamespace(study=study))) == 2 * 2 * 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"imbalance": {"table": "phenotyping_lstm", "levels": [0.05], "draws": 1}}, "is not of mortality"),
        ({"studies": ["phenotypes"]}, "phenotypes needs a table of phenotyping"),
        ({"rows": ["gbt"]}, "no loss is among risk.rows"),
        (
            {"rows": ["gbt"], "studies": ["selection_leak", "learning_curves"]},
            "selection_leak, learning_curves: no",
        ),
        ({"rows": ["csce_scr"]}, "running_time compares with BCE"),
    ],
)
def test_a_study_that_cannot_be_is_refused_before_any_job(config, changes, message):
    config["risk"] |= changes
    with pytest.raises(UserError, match=message):
        StudyPlan(RiskPlan(config))


def test_running_times_are_compared_with_plain_bce_wherever_it_stands(config):
    config["risk"]["rows"] = ["csce_scr", "bce_scr", "bce"]
    timed = json.loads(StudyPlan(RiskPlan(config)).timed(CELL))
    assert [row for row, _ in timed["losses"]] == ["bce", "csce_scr", "bce_scr"]


def test_the_rows_of_a_block_are_scored_together_seed_by_seed(config):
    config["seeds"] = [3, 4]
    config["risk"] |= {
        "rows": ["bce", "cbce_scr", "gbt"],
        "external": {"theirs": {"synthetic": "theirs.csv"}},
    }
    config["risk"]["losses"]["cbce_scr"]["proba"] = "posterior"
    studies = StudyPlan(RiskPlan(config))
    rows = json.loads(studies.scored_rows(CELL))
    assert [(row["name"], row["seeds"]) for row in rows] == [
        ("bce", 2), ("cbce_scr", 2), ("gbt", 2), ("theirs", 1)
    ]  # fmt: skip
    assert [row["name"] for row in rows if "doubles the log odds" in row["caveat"]] == ["cbce_scr"]
    files = studies.of_every_row("predictions.csv")(CELL)
    assert len(files) == 7
    folder = "results/open/risk/synthetic/mortality_lstm/all"
    assert files[1] == f"{folder}/bce/seed=4/predictions.csv"
    assert files[-1] == f"{folder}/theirs/seed=3/predictions.csv"


def test_subgroups_are_of_mortality_and_stricter_with_credentialed_data(config):
    config["risk"]["tables"] = ["mortality_lstm", "phenotyping_lstm"]
    config["risk"]["subgroups"]["least"] = 2
    studies = StudyPlan(RiskPlan(config))
    every = SimpleNamespace()
    assert studies.of_blocks("subgroups")(every) == [
        "results/metrics/risk/synthetic/mortality_lstm/subgroups.json"
    ]
    assert len(studies.of_blocks("calibration")(every)) == 2
    assert studies.of_blocks("calibration")(SimpleNamespace(model="phenotyping_lstm")) == [
        "results/metrics/risk/synthetic/phenotyping_lstm/calibration.json"
    ]
    assert json.loads(studies.subgroup_options(CELL)) == {"age_bands": [45, 65, 80], "least": 2}
    config["risk"]["synthetic"]["access"] = "credentialed"
    assert json.loads(studies.subgroup_options(CELL))["least"] == 10
    assert studies.units_of(CELL) == []
    assert studies.units_of(SimpleNamespace(cohort="mimic3")) == ["results/private/risk/mimic3/prepared"]
    config["risk"]["subgroups"]["age_bands"] = [65, 45]
    with pytest.raises(UserError, match="ascending"):
        StudyPlan(RiskPlan(config))
