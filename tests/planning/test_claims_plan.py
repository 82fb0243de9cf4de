"""Where claims are tested by configuration, and which files that takes."""

import json

import pytest

from clinbench.claims.ledger import Place, families
from planning.claims import ClaimsPlan
from planning.coding import CodingPlan
from planning.reports import ReportPlan
from planning.risk import RiskPlan
from planning.studies import StudyPlan


def planned(config) -> ClaimsPlan:
    risk = RiskPlan(config)
    return ClaimsPlan(ReportPlan(risk, CodingPlan(config)), StudyPlan(risk))


@pytest.fixture
def at(config):
    """Return a function that plans the configuration and finds the places of a family."""
    return lambda family: [place for place in planned(config).places() if place.family == family]


def test_every_family_has_a_place_or_a_reason(config):
    for tracks in (["risk"], ["coding"], ["risk", "coding"]):
        places = planned(config | {"tracks": tracks}).places()
        assert {place.family for place in places} == {family.name for family in families()}
        assert all(bool(place.files) != bool(place.refused) for place in places)


def test_the_default_run_tests_on_its_synthetic_cohort(config, at):
    (place,) = at("mortality_lstm")
    assert (place.dataset, place.model, place.synthetic) == ("synthetic", "mortality_lstm", True)
    assert place.files == {"": "results/metrics/risk/synthetic/mortality_lstm/paired.json"}
    assert "cbce_scr" in place.trained
    (place,) = at("mortality_concare")
    assert place.dataset == "mimic3" and place.title.endswith("not run here")
    assert place.refused == "no table of concare for mortality is among risk.tables"
    (place,) = at("codiesp")
    assert place.refused == "codiesp is not among coding.benchmarks"
    (place,) = at("imbalance")
    assert place.refused == "the study imbalance is not among risk.studies" and not place.files
    plan = planned(config)
    assert plan.records(None) == [
        "results/metrics/risk/synthetic/mortality_lstm/paired.json",
        "results/open/risk/synthetic/mortality_lstm/running_time.run.json",
    ]
    assert plan.runs(None) == [
        "results/metrics/risk/synthetic/mortality_lstm/paired.run.json",
        "results/open/risk/synthetic/mortality_lstm/running_time.run.json",
    ]


def test_the_imbalance_study_gives_one_file_a_level(config, at):
    config["risk"]["studies"].append("imbalance")
    (place,) = at("imbalance")
    assert [*place.files] == ["all", "0.05", "0.01", "0.001"]
    assert place.files["0.01"].endswith("mortality_lstm/imbalance/0.01/paired.json")


def test_every_cohort_of_a_table_is_a_place(config, at):
    config["risk"]["cohorts"] = ["synthetic", "physionet2012"]
    assert [(place.dataset, place.synthetic) for place in at("mortality_lstm")] == [
        ("synthetic", True),
        ("physionet2012", False),
    ]


def test_a_benchmark_knows_what_is_trained_and_from_which_encoder(config, at):
    config["coding"]["benchmarks"] = ["codiesp"]
    config["coding"]["systems"] += ["fusion", "dictionary"]
    (place,) = at("codiesp")
    assert place.trained == ("bi_encoder", "cross_encoder")
    assert place.encoders == dict.fromkeys(("minilm", "bi_encoder", "cross_encoder"), "minilm")
    assert "(dev part)" in place.title


def test_distemist_needs_documents_apart(config, at):
    config["coding"]["benchmarks"] = ["distemist"]
    assert at("distemist")[0].files
    config["coding"]["distemist"]["disjoint"] = False
    assert "disjoint is false" in at("distemist")[0].refused


def test_what_the_script_is_told_makes_the_same_places(config):
    plan = planned(config)
    told = json.loads(plan.told())
    assert told["min_seeds"] == 5
    again = [Place(**place) for place in told["places"]]
    assert [(place.dataset, place.files) for place in again] == [
        (place.dataset, place.files) for place in plan.places()
    ]
