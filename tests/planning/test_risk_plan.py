"""What the rules of the risk track are told: searches, recipes, presets."""

import json
from types import SimpleNamespace

import pytest
import yaml
from snakemake.utils import update_config
from tests.paths import ROOT

from clinbench.errors import UserError
from clinbench.risk.search import Setting
from planning.risk import RiskPlan

CELL = SimpleNamespace(
    cohort="synthetic", model="mortality_lstm", sample="all", row="bce_scr", batch="64", seed="0"
)


def test_a_recipe_does_not_depend_on_the_grid_it_is_part_of(config):
    def without_settings():
        recipe = json.loads(RiskPlan(config).recipe(CELL))
        return recipe.pop("settings"), recipe

    settings, before = without_settings()
    config["risk"]["losses"]["bce_scr"]["scr_weights"] = [0.5]
    changed, after = without_settings()
    assert before == after
    assert settings != changed


def test_a_table_and_a_thinned_sample_may_search_otherwise(config):
    search = {"batch_sizes": [32, 128], "epochs": [3, 5], "budget": None, "scr_weights": [0, 0.5]}
    config["risk"]["models"]["mortality_lstm"]["search"] = search
    config["risk"]["imbalance"]["search"] = {"epochs": 1, "batch_sizes": [128]}
    plan = RiskPlan(config)
    cell = SimpleNamespace(**{**vars(CELL), "batch": "128"})
    recipe = json.loads(plan.recipe(cell))
    assert recipe["epochs"] == 5
    assert [setting["scr_weight"] for setting in recipe["settings"]] == [0, 0.5]
    assert plan.jobs(cell, "all", 0, "f") == [
        f"results/open/risk/synthetic/mortality_lstm/all/bce_scr/batch={size}/seed=0/f" for size in (32, 128)
    ]
    cell.sample = "positives=0.01,draw=2"
    assert json.loads(plan.recipe(cell))["epochs"] == 1
    assert plan.settings("mortality_lstm", "all", "bce") == {size: [Setting(0.0, 0)] for size in (32, 128)}


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ({"selection_metric": "micro_auroc"}, "selection_metric: micro_auroc is none of mortality"),
        ({"epochs": [1, 2, 3]}, "epochs: give one number, or one for each of batch_sizes"),
        ({"budget": 5}, "budget: 5 trainings cannot cover"),
    ],
)
def test_a_search_that_cannot_be_is_refused_before_any_job(config, search, message):
    config["risk"]["models"]["mortality_lstm"]["search"] = search
    with pytest.raises(UserError, match=message):
        RiskPlan(config)


def test_a_cohort_without_a_tables_task_is_left_out_of_it(config):
    config["risk"]["cohorts"] = ["synthetic", "physionet2012"]
    config["risk"]["tables"] = ["mortality_lstm", "phenotyping_lstm"]
    plan = RiskPlan(config)
    assert plan.cohorts("mortality_lstm") == ["synthetic", "physionet2012"]
    assert plan.cohorts("phenotyping_lstm") == ["synthetic"]
    config["risk"]["cohorts"] = ["physionet2012"]
    with pytest.raises(UserError, match="no selected cohort has phenotyping"):
        RiskPlan(config)


def test_a_preset_reaches_models_and_cohorts_through_their_options(config):
    config["risk"]["preset"] = "reference"
    options = json.loads(RiskPlan(config).options(CELL))
    assert options["normaliser"] == "train_val"
    config["risk"]["preset"] = "clean"
    assert json.loads(RiskPlan(config).options(CELL))["normaliser"] == "train"


@pytest.mark.parametrize(("preset", "trained"), [("paper", (105, 105)), ("paper_leak", (5, 105))])
def test_the_papers_presets_search_as_they_say(config, preset, trained):
    overlay = yaml.safe_load((ROOT / f"presets/{preset}.yaml").read_text())
    update_config(config, overlay)
    config["data"]["mimic3"] = "somewhere"
    plan = RiskPlan(config)
    for row, count in zip(("bce", "cbce_scr"), trained, strict=True):
        assert sum(map(len, plan.settings("mortality_lstm", "all", row).values())) == count
    recipe = json.loads(plan.recipe(SimpleNamespace(**{**vars(CELL), "cohort": "mimic3"})))
    expected = {"paper": ("paper", "validation"), "paper_leak": ("reference", "test")}[preset]
    assert (recipe["preset"], recipe["selection"]) == expected
    assert len(config["seeds"]) == {"paper": 5, "paper_leak": 1}[preset]


def test_a_prepared_cohort_is_read_from_its_folder(config):
    plan, cell = RiskPlan(config), SimpleNamespace(cohort="mimic3")
    assert plan.generated(cell) == ["results/private/risk/mimic3/prepared"]
    before = plan.preparing_options(cell), plan.options(cell)
    config["risk"]["mimic3"]["clip"] = True
    assert (
        RiskPlan(config).preparing_options(cell) == before[0] and RiskPlan(config).options(cell) != before[1]
    )
    config["risk"]["preset"] = "reference"
    assert json.loads(RiskPlan(config).preparing_options(cell))["ties"] == "text"
    config["data"] |= {"mimic3": "/tables", "mimic3_resources": "/resources"}
    assert plan.data_keys(cell) == ["mimic3", "mimic3_resources"]
    assert plan.data(cell) == ["/tables", "/resources"]


def test_rows_made_elsewhere_follow_the_selected_ones_where_they_have_a_file(config):
    config["seeds"] = [5, 6]
    config["risk"] |= {
        "rows": ["bce", "gbt"],
        "external": {"a": "a.csv", "b": {"synthetic": {"mortality_lstm": "b.csv"}}, "c": {"mimic3": "c.csv"}},
    }
    plan = RiskPlan(config)
    assert plan.rows("synthetic", "mortality_lstm") == ["bce", "gbt", "a", "b"]
    assert plan.rows("synthetic", "mortality_concare") == ["bce", "gbt", "a"]
    assert plan.rows("mimic3", "mortality_lstm") == ["bce", "gbt", "a", "c"]
    cell = SimpleNamespace(**{**vars(CELL), "row": "b"})
    assert plan.external_file(cell) == "b.csv"
    assert plan.of_every_seed("run.json")(cell) == [
        "results/open/risk/synthetic/mortality_lstm/all/b/seed=5/run.json"
    ]
    cell.row = "c"
    assert plan.external_file(cell) == "risk.external.c has no file for synthetic/mortality_lstm"
