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
