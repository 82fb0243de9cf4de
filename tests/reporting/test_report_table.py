"""The one table builder: what it refuses, and what it shows."""

import csv
import io

import pytest

from clinbench.errors import UserError
from clinbench.evaluation.records import KEYS
from clinbench.provenance import REQUIRED
from clinbench.reporting.admission import COLUMNS
from clinbench.reporting.layouts import MORTALITY, RETRIEVAL, Column, Layout, metric_columns
from clinbench.reporting.table import build


def lines_of(table, block=0):
    return {line.label: line for line in table.blocks[block].lines}


def test_columns_are_those_of_the_evaluation():
    assert list(COLUMNS) == list(KEYS)


def test_record_without_provenance_is_refused(risk_record):
    record = risk_record()
    record["provenance"] = []
    with pytest.raises(UserError, match="without provenance"):
        build([record], MORTALITY)


@pytest.mark.parametrize("field", REQUIRED)
def test_a_number_whose_record_lacks_a_field_is_refused_by_file_and_field(risk_record, field):
    record = risk_record() | {"origin": "cohort_a/bce.json"}
    (run,) = record["provenance"]
    record["provenance"] = [{key: value for key, value in run.items() if key != field}]
    with pytest.raises(UserError, match=f"cohort_a/bce.json: the record has no {field}"):
        build([record], MORTALITY)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"n": None}, "no n"),
        ({"n": 0}, "no n"),
        ({"n_valid": None}, "no n_valid"),
        ({"n_valid": 0}, "no n_valid"),
        ({"seeds": None}, "no seeds"),
        ({"ci_low": None}, "no interval"),
        ({"ci_high": float("nan")}, "no interval"),
        ({"track": "coding"}, "track 'coding'"),
        ({"task": "phenotyping"}, "task 'phenotyping'"),
        ({"comparable": "maybe"}, "comparable is 'maybe'"),
        ({"colour": "red"}, "unknown column colour"),
    ],
)
def test_incomplete_rows_are_refused_by_name(risk_record, change, told):
    record = risk_record()
    record["rows"][2] |= change
    record["origin"] = "metrics/bce.json"
    with pytest.raises(UserError, match=told) as refusal:
        build([record], MORTALITY)
    assert "metrics/bce.json" in str(refusal.value)


def test_all_problems_come_at_once(risk_record):
    record = risk_record()
    record["rows"][0]["n"] = None
    record["rows"][1]["ci_low"] = None
    del record["rows"][2]["seeds"]
    with pytest.raises(UserError) as refusal:
        build([record], MORTALITY)
    assert all(word in str(refusal.value) for word in ("no n", "no interval", "lacks the column seeds"))


def test_unknown_nature_of_data_is_refused(risk_record):
    record = risk_record()
    del record["facts"]["synthetic"]
    with pytest.raises(UserError, match="synthetic"):
        build([record], MORTALITY)


def test_records_that_disagree_on_a_data_set_are_refused(risk_record):
    with pytest.raises(UserError, match="positives"):
        build([risk_record(), risk_record("bce_scr", facts={"positives": 61})], MORTALITY)


def test_different_n_in_one_block_is_refused(risk_record):
    with pytest.raises(UserError, match="different n \\(499, 500\\)"):
        build([risk_record(), risk_record("bce_scr", n=499)], MORTALITY)


def test_a_cell_claimed_twice_is_refused(risk_record):
    with pytest.raises(UserError, match="AUROC more than once"):
        build([risk_record(), risk_record()], MORTALITY)


def test_no_rows_are_refused():
    with pytest.raises(UserError, match="no rows"):
        build([], MORTALITY)


def test_rows_stand_in_the_papers_order_and_users_rows_follow(risk_record):
    systems = ["zebra", "csce_scr", "apple", "bce", "cbce_scr", "bce_scr"]
    table = build([risk_record(system) for system in systems], MORTALITY)
    labels = ["BCE", "BCE+λSCR", "CBCE+λSCR", "CSCE+λSCR", "zebra", "apple"]
    assert [line.label for line in table.blocks[0].lines] == labels


def test_a_row_that_is_no_loss_is_explained(risk_record):
    table = build([risk_record(), risk_record("gbt")], MORTALITY)
    assert [line.mark for line in table.blocks[0].lines] == ["", "a"]
    assert "GBT<sup>a</sup>" in table.to_markdown() and "gradient-boosted trees" in table.to_latex()
    assert r"GBT\textsuperscript{a} & .854" in table.to_latex()


def test_numbers_are_printed_as_in_the_paper(risk_record):
    table = build([risk_record()], MORTALITY)
    cell = lines_of(table)["BCE"].cells[0]
    assert (cell.value, cell.std, cell.interval) == (".854", "(.010)", "[.834, .874]")


def test_undefined_and_not_evaluated_are_told_apart(risk_record):
    record = risk_record()
    record["rows"][0] |= {"value": None, "std": None, "ci_low": None, "ci_high": None, "n_valid": 0}
    record["rows"] = [row for row in record["rows"] if row["metric"] != "minpse"]
    table = build([record], MORTALITY)
    values = [cell.value for cell in lines_of(table)["BCE"].cells]
    assert values == ["–", ".854", ".854", ".854", "n/a"]
    assert "– undefined" in table.to_markdown() and "n/a not evaluated" in table.to_markdown()
    assert "-- undefined" in table.to_latex()


def test_explanations_only_where_needed(risk_record):
    text = build([risk_record()], MORTALITY).to_markdown()
    assert "undefined" not in text and "n/a" not in text and "Published" not in text


def test_interval_of_fewer_draws_has_a_footnote(risk_record):
    record = risk_record()
    record["rows"][0]["n_valid"] = 870
    table = build([record], MORTALITY)
    assert lines_of(table)["BCE"].cells[0].mark == "a"
    assert "870 of 1,000" in table.to_markdown()


def test_absent_row_is_shown_with_its_reason(coding_record):
    absent = {"dataset": "terms", "model": "", "system": "bi_encoder", "reason": "the encoder is not at hand"}
    table = build([coding_record(), {"absent": [absent]}], RETRIEVAL)
    assert lines_of(table)["Bi-encoder"].kind == "absent"
    for text in (table.to_markdown(), table.to_latex()):
        assert "not available" in text and "the encoder is not at hand" in text
    assert "bi_encoder" not in table.to_csv()


def test_absent_row_without_reason_or_with_numbers_is_refused(coding_record):
    with pytest.raises(UserError, match="lacks reason"):
        build([coding_record(), {"absent": [{"dataset": "terms", "model": "", "system": "x"}]}], RETRIEVAL)
    record = coding_record()
    record["absent"] = [{"dataset": "terms", "model": "", "system": "bm25", "reason": "none"}]
    with pytest.raises(UserError, match="both as absent and with numbers"):
        build([record], RETRIEVAL)


def test_one_block_a_data_set_and_model(risk_record):
    records = [risk_record(), risk_record(dataset="cohort_b"), risk_record(model="concare")]
    table = build(records, MORTALITY)
    assert [(block.title, block.detail.split(",")[0]) for block in table.blocks] == [
        ("Cohort cohort_a", "LSTM"),
        ("Cohort cohort_b", "LSTM"),
        ("Cohort cohort_a", "ConCare"),
    ]


def test_csv_is_long_and_complete(coding_record):
    record = coding_record()
    record["rows"].append(record["rows"][0] | {"subset": "unseen", "n": 7, "value": None, "std": None})
    text = build([record], RETRIEVAL).to_csv()
    read = list(csv.DictReader(io.StringIO(text)))
    assert tuple(read[0]) == COLUMNS and len(read) == len(record["rows"]) == 16
    assert read[0]["value"] == "0.8537" and read[-1]["value"] == "" and read[-1]["subset"] == "unseen"


def test_subsets_stay_out_of_the_printed_table(coding_record):
    record = coding_record()
    record["rows"] += [row | {"subset": "unseen", "n": 7, "value": 0.111} for row in record["rows"]]
    text = build([record], RETRIEVAL).to_markdown()
    assert ".111" not in text


def test_a_new_kind_of_table_is_one_layout(make_row, risk_record):
    layout = Layout(
        name="imbalance",
        title="Fewer positives",
        match={"track": "risk"},
        columns=(Column("5 %", {"task": "r05"}, "AUROC"), Column("1 %", {"task": "r01"}, "AUROC")),
        block=("dataset", "model"),
        row=("system",),
        main=(("auroc", ""),),
        unit="stays",
        corner="Loss",
    )
    record = risk_record()
    record["rows"] = [make_row(task="r05", value=0.81), make_row(task="r01", value=0.79)]
    cells = lines_of(build([record], layout))["BCE"].cells
    assert [cell.value for cell in cells] == [".810", ".790"]
    assert [column.title for column in metric_columns("micro_auroc")] == ["Micro AUROC"]
