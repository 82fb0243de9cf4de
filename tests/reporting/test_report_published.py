"""Published numbers: for their own data set and model only, and marked where not comparable."""

from types import SimpleNamespace

import pytest

import testedjob
from clinbench.reporting.layouts import MORTALITY, RETRIEVAL
from clinbench.reporting.published import comparable, published, with_published
from clinbench.reporting.table import build

RISK = ("risk", "mortality", "mimic3", "mortality_lstm")
CODING = ("coding", "retrieval", "codiesp")
BSC = "PlanTL-GOB-ES/bsc-bio-ehr-es"


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ((*RISK, "bce", "", "auroc"), 0.854),
        ((*RISK, "csce_scr", "", "minpse"), 0.505),
        (("risk", "mortality", "mimic3_benchmark", "lstm", "cbce_scr", "", "auprc"), 0.504),
        (("risk", "mortality", "mimic3", "concare", "bce_scr", "", "accuracy"), 0.901),
        (("risk", "mortality", "mimic3", "mortality_concare", "cbce_scr", "", "auroc"), 0.868),
        (("risk", "mortality", "mimic3", "mortality_concare", "cbce", "", "auroc"), 0.8677),
        (("risk", "mortality", "mimic3", "mortality_lstm", "cbce", "", "minpse"), 0.4841),
        (("risk", "mortality", "mimic3", "lstm", "csce_scr", "", "auroc", "bootstrap_mean"), 0.8617),
        (("risk", "phenotyping", "mimic3", "phenotyping_lstm", "csce_scr", "", "micro_auroc"), 0.824),
        (("risk", "phenotyping", "mimic3", "lstm", "bce", "", "macro_auroc"), 0.772),
        ((*CODING, BSC, "cross_encoder", "exact", "map10"), 0.747),
        ((*CODING, BSC, "cross_encoder", "category", "f1"), 0.823),
        ((*CODING, "minilm", "minilm", "exact", "f1"), 0.225),
        ((*CODING, "minilm", "dense", "exact", "f1"), 0.225),
        (("coding", "retrieval", "distemist", BSC, "cross_encoder", "exact", "f1"), 0.776),
    ],
)
def test_published_values(cell, value):
    assert published(*cell) == value


@pytest.mark.parametrize(
    "cell",
    [
        ("risk", "mortality", "physionet2012", "mortality_lstm", "bce", "", "auroc"),
        ("risk", "mortality", "mimic3_demo", "mortality_lstm", "bce", "", "auroc"),
        ("risk", "mortality", "synthetic", "mortality_lstm", "bce", "", "auroc"),
        ("risk", "mortality", "mimic3", "my_gru", "bce", "", "auroc"),
        ("risk", "phenotyping", "mimic3", "lstm", "bce", "", "auroc"),
        (*RISK, "my_loss", "", "auroc"),
        (*RISK, "gbt", "", "auroc"),
        (*RISK, "bce", "0.05", "auroc"),
        (*RISK, "bce", "all", "auroc"),
        (*RISK, "bce", "", "average_precision"),
        (*CODING, "minilm", "cross_encoder", "exact", "f1"),
        (*CODING, "", "cross_encoder", "exact", "f1"),
        (*CODING, "", "bm25", "exact", "f1"),
        (*CODING, BSC, "cross_encoder", "chapter", "f1"),
        (*CODING, BSC, "cross_encoder", "exact", "precision"),
        ("coding", "retrieval", "icd10cm_inclusion_terms", "minilm", "minilm", "exact", "f1"),
    ],
)
def test_nothing_is_published_for_other_data_models_or_metrics(cell):
    assert published(*cell) is None
    assert comparable(*cell, n=3236, pool=98288) == ("", "")


def test_other_test_sets_and_pools_are_not_comparable():
    cell = (*CODING, BSC, "cross_encoder", "exact", "f1")
    assert comparable(*cell, n=3665, pool=98288)[0] == "yes"
    mark, reason = comparable(*cell, n=3431, pool=98288)
    assert mark == "no" and "3,664 test cases, ours of 3,431" in reason
    mark, reason = comparable(*cell, n=3665, pool=2557)
    assert mark == "no" and "98,288 codes, ours ranks 2,557" in reason
    assert comparable(*cell, n=3665)[0] == "no"
    assert comparable(*RISK, "bce", "", "auroc", n=3000)[0] == "no"
    assert comparable(*RISK, "bce", "", "auroc", n=3236)[0] == "yes"


def test_a_subset_has_no_published_value(make_row):
    row = make_row(dataset="mimic3", n=3236)
    assert with_published(row)[0]["published"] == 0.854
    assert with_published(row | {"subset": "women"})[0]["published"] is None


@pytest.mark.parametrize(
    ("given", "n", "mark"), [("yes", 3000, "no"), ("no", 3236, "no"), ("", 3236, "yes"), ("yes", 3236, "yes")]
)
def test_the_stricter_mark_wins(make_row, given, n, mark):
    row, _ = with_published(make_row(dataset="mimic3", n=n, comparable=given))
    assert row["comparable"] == mark


def test_a_published_value_of_the_users_own_is_kept(make_row):
    row, reason = with_published(make_row(published=0.5, comparable="yes"))
    assert (row["published"], row["comparable"], reason) == (0.5, "yes", "")
    row, reason = with_published(make_row(published=0.5))
    assert row["comparable"] == "no" and reason


def test_table_shows_published_values_in_their_own_line(risk_record):
    table = build([risk_record(dataset="mimic3", n=3236)], MORTALITY)
    ours, theirs = table.blocks[0].lines
    assert [cell.value for cell in theirs.cells] == [".854", ".483", "", ".896", ".487"]
    assert (ours.label, theirs.label, theirs.mark) == ("BCE", "published", "")
    assert {row["comparable"] for row in table.rows if row["published"]} == {"yes"}
    assert "SCEHR" in table.to_markdown() and "chosen on the test set" in table.to_markdown()


def test_table_marks_what_is_not_comparable_with_its_reason(coding_record):
    table = build([coding_record("cross_encoder", BSC, "codiesp", 3431, {"pool": 98288})], RETRIEVAL)
    assert table.blocks[0].lines[1].label == "published, not comparable"
    for text in (table.to_markdown(), table.to_latex()):
        assert "not comparable: the published number is of 3,664 test cases, ours of 3,431" in text


def test_a_row_that_can_answer_fewer_codes_says_so_and_is_compared_by_its_own_pool(coding_record):
    records = [
        coding_record("cross_encoder", BSC, "codiesp", 3664, {"pool": 98288}),
        coding_record("cross_encoder", BSC, "codiesp", 3664, {"pool": 98288, "row_pool": 1234}),
    ]
    whole, part = (build([record], RETRIEVAL) for record in records)
    assert [table.blocks[0].lines[1].label for table in (whole, part)] == [
        "published", "published, not comparable",
    ]  # fmt: skip
    assert part.blocks[0].lines[0].mark and not whole.blocks[0].lines[0].mark
    assert "pool of 1,234 codes" in part.to_markdown() and "1,234" not in whole.to_markdown()


def test_the_pool_of_a_row_is_that_of_its_run_record():
    tested = SimpleNamespace(pool={"A00", "I10", "R05"})
    assert testedjob.Tested.row_pool(tested, {"pool": 2}) == {"row_pool": 2}
    assert testedjob.Tested.row_pool(tested, {"pool": 3}) == {}


def test_the_kind_of_value_chooses_what_is_published(risk_record):
    mean = build([risk_record(dataset="mimic3", n=3236, facts={"value": "bootstrap_mean"})], MORTALITY)
    theirs = mean.blocks[0].lines[1]
    assert (theirs.label, [cell.value for cell in theirs.cells]) == (
        "published", [".855", ".487", "", ".896", ".485"],
    )  # fmt: skip
    assert "hidden in its source text" in mean.to_markdown()


def test_a_mean_beside_a_printed_sample_value_is_not_comparable(risk_record):
    record = risk_record(
        dataset="mimic3", model="mortality_concare", n=3236, facts={"value": "bootstrap_mean"}
    )
    table = build([record], MORTALITY)
    assert table.blocks[0].lines[1].label == "published, not comparable"
    assert (
        "the published number is the sample's own value, ours the mean over bootstrap" in table.to_markdown()
    )


def test_numbers_left_out_of_the_printed_paper_say_so(risk_record):
    table = build([risk_record("csce", dataset="mimic3", n=3236)], MORTALITY)
    assert [cell.value for cell in table.blocks[0].lines[1].cells] == [".858", ".501", "", ".897", ".495"]
    assert "commented out in its source text" in table.to_markdown()
