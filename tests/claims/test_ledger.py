"""The stated claims: enough of them, of things the suite makes, with the papers' own values."""

import copy

import pytest
import yaml
from tests.paths import ROOT

from clinbench.claims import ledger, stated
from clinbench.claims.ledger import NONE, families
from clinbench.errors import UserError
from clinbench.evaluation import binary, documents, multilabel, ranking
from clinbench.reporting.published import FILE

CLAIMS = [(family, claim) for family in families() for claim in family.claims]
COMPARED = [(family, claim, one) for family, claim in CLAIMS for one in claim.comparisons]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
PUBLISHED = yaml.safe_load(FILE.read_text())


def test_there_are_claims_of_both_papers():
    assert len(CLAIMS) >= 20
    assert {family.paper.split(" (")[0] for family in families()} >= {"SCEHR", "Small data but specific"}
    assert len({claim.name for _, claim in CLAIMS}) == len(CLAIMS)


def test_metrics_are_those_that_are_computed():
    computed = {
        stated.OUTCOME: binary.METRICS,
        stated.PHENOTYPES: multilabel.METRICS,
        stated.RANKS: ranking.METRICS,
        stated.DOCUMENTS: documents.METRICS,
    }
    assert all({*named} == {*known} for named, known in computed.items())


def test_levels_of_positives_are_those_of_the_configuration():
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
        (
            lambda claim: claim.update(first="bce_src"),
            "first: 'bce_src' is not known (did you mean 'bce_scr'?)",
        ),
        (lambda claim: claim.update(second=["nothing"]), "second: 'nothing' is not known"),
        (lambda claim: claim.update(metrics=["auroc", "f1"]), "metrics: 'f1' is not known"),
        (lambda claim: claim.update(levels=["exact"]), "levels: there are none"),
    ],
)
def test_a_claim_that_cannot_be_is_named(change, words):
    entries = copy.deepcopy(yaml.safe_load(ledger.FILE.read_text()))
    change(entries["families"]["mortality_lstm"]["claims"]["lstm_bce_scr_auroc"])
    (problem,) = ledger.problems(entries)
    assert "lstm_bce_scr_auroc" in problem and words in problem


def test_two_claims_of_one_name_are_refused():
    entries = copy.deepcopy(yaml.safe_load(ledger.FILE.read_text()))
    first = entries["families"]["mortality_lstm"]["claims"]["lstm_bce_scr_auroc"]
    entries["families"]["mortality_concare"]["claims"]["lstm_bce_scr_auroc"] = first
    (problem,) = ledger.problems(entries)
    assert "mortality_concare.claims.lstm_bce_scr_auroc" in problem


@pytest.mark.parametrize(
    ("family", "claim", "change", "words"),
    [
        ("imbalance", "imbalance_5_cbce_scr", {"levels": ["5e-2"]}, "'5e-2' is neither all nor a share"),
        ("codiesp", "codiesp_bi_bm25", {"levels": ["code"]}, "levels: 'code' is not known; there are"),
        (
            "codiesp",
            "codiesp_bi_bm25",
            {"metrics": ["doc_f1"], "levels": ["chapter"]},
            "'doc_f1' is not known",
        ),
        ("running_time_lstm", "time_lstm", {"metrics": ["auroc"]}, "'auroc' is not known; there are time"),
    ],
)
def test_levels_and_metrics_are_those_of_the_table(family, claim, change, words):
    entries = copy.deepcopy(yaml.safe_load(ledger.FILE.read_text()))
    entries["families"][family]["claims"][claim].update(change)
    (problem,) = ledger.problems(entries)
    assert f"families.{family}.claims.{claim}." in problem and words in problem


def test_a_row_of_the_configuration_may_be_claimed_of():
    entries = copy.deepcopy(yaml.safe_load(ledger.FILE.read_text()))
    entries["families"]["mortality_lstm"]["claims"]["lstm_bce_scr_auroc"]["first"] = "mine"
    assert ledger.problems(entries, {"mine"}) == []


@pytest.mark.parametrize("key", ["lstm_bce_scr_auroc", "lstm_cbce_auroc"])
def test_a_claim_stated_twice_in_a_family_is_refused_by_line(key):
    text = ledger.FILE.read_text()
    at = text.index(f"      {key}:")
    doubled = f'{text[:at]}      {key}: {{claim: "Again", first: bce}}\n{text[at:]}'
    line = text[:at].count("\n") + 1
    with pytest.raises(UserError, match=f"line {line + 1}: '{key}' is also in line {line}"):
        stated.read(doubled)
    assert stated.read(text) == yaml.safe_load(text)  # that a merged key is given again is no repetition
