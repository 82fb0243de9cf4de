"""The stated claims: enough of them, of things the suite makes, with the papers' own values."""

import copy

import pytest
import yaml
from tests.paths import ROOT

from clinbench.claims import ledger
from clinbench.claims.ledger import EQUIVALENCE, NONE, families
from clinbench.evaluation import binary, multilabel, ranking
from clinbench.reporting import names
from clinbench.reporting.published import FILE

CLAIMS = [(family, claim) for family in families() for claim in family.claims]
COMPARED = [(family, claim, one) for family, claim in CLAIMS for one in claim.comparisons]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
PUBLISHED = yaml.safe_load(FILE.read_text())
METRICS = {
    ("risk", "mortality"): binary.METRICS,
    ("risk", "phenotyping"): multilabel.METRICS,
    ("coding", ""): ranking.METRICS,
}


def test_there_are_claims_of_both_papers():
    assert len(CLAIMS) >= 20
    assert {family.paper.split(" (")[0] for family in families()} >= {"SCEHR", "Small data but specific"}
    assert len({claim.name for _, claim in CLAIMS}) == len(CLAIMS)


def test_rows_metrics_and_levels_are_those_the_suite_knows():
    for family, claim, one in COMPARED:
        rows = {one.first, one.second}
        if family.track == "risk":
            assert rows <= CONFIG["risk"]["losses"].keys(), claim.name
            assert family.place["model"] in {entry["kind"] for entry in CONFIG["risk"]["models"].values()}
        else:
            assert rows <= {*names.SYSTEMS}, claim.name
            assert one.level in ("exact", "category", "chapter"), claim.name
        known = ("time",) if claim.kind == EQUIVALENCE else METRICS[family.track, family.place["task"]]
        assert one.metric in known, claim.name
    levels = {one.level for family, _, one in COMPARED if family.place["study"] == "imbalance"}
    assert levels <= {"all", *map(str, CONFIG["risk"]["imbalance"]["levels"])}


def test_the_papers_values_are_those_of_the_published_file():
    told = 0
    for family, claim, one in COMPARED:
        for row, value in zip((one.first, one.second), family.values(one), strict=True):
            level = one.level if family.track == "coding" else ""
            cells = [PUBLISHED[name]["levels"].get(level, {}).get(row, {}) for name in family.published]
            printed = next((cell[one.metric] for cell in cells if one.metric in cell), None)
            printed = printed[0] if isinstance(printed, list) else printed
            if family.place["study"] or one.than:
                assert value is None
            else:
                assert value == printed, (claim.name, row)
                told += value is not None
            assert value is not None or claim.unpublished, f"{claim.name}: say why there is no value"
    assert told > 50


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("lstm_cbce_scr_auroc", (0.860, 0.854)),
        ("lstm_scr_on_cbce", (0.860, 0.8586)),
        ("concare_csce_scr_auprc", (0.508, 0.500)),
        ("pheno_csce_over_cbce", (0.824, 0.823)),
        ("codiesp_cross_minilm", (0.709, 0.225)),
        ("codiesp_minilm_sbiobert", (0.225, 0.193)),
        ("codiesp_cross_category", (0.851, None)),
        ("distemist_cross_minilm", (0.776, None)),
        ("languages_bi_untuned", (0.876, 0.755)),
        ("imbalance_01_csce_scr", (None, None)),
    ],
)
def test_some_values_as_the_papers_print_them(name, values):
    family, claim = next((family, claim) for family, claim in CLAIMS if claim.name == name)
    assert family.values(claim.comparisons[0]) == values


def test_what_no_run_can_test_says_why():
    assert all(claim.untestable for _, claim in CLAIMS if claim.kind == NONE)
    assert not [claim.name for _, claim in CLAIMS if claim.kind != NONE and not claim.comparisons]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda claim: claim.update(metric="auroc"), "'metric' was unexpected"),
        (lambda claim: claim.pop("second"), "'second' is a required property"),
        (lambda claim: claim.update(kind="equivalence"), "'margin' is a required property"),
        (lambda claim: claim.update(kind="none"), "'untestable' is a required property"),
        (lambda claim: claim.update(direction="up"), "is not one of"),
    ],
)
def test_a_misshapen_claim_is_named(change, words):
    stated = copy.deepcopy(yaml.safe_load(ledger.FILE.read_text()))
    change(stated["families"]["mortality_lstm"]["claims"]["lstm_bce_scr_auroc"])
    (problem,) = ledger.problems(stated)
    assert "lstm_bce_scr_auroc" in problem and words in problem


def test_two_claims_of_one_name_are_refused():
    stated = copy.deepcopy(yaml.safe_load(ledger.FILE.read_text()))
    first = stated["families"]["mortality_lstm"]["claims"]["lstm_bce_scr_auroc"]
    stated["families"]["mortality_concare"]["claims"]["lstm_bce_scr_auroc"] = first
    (problem,) = ledger.problems(stated)
    assert "mortality_concare.claims.lstm_bce_scr_auroc" in problem
