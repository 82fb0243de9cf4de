"""Bold type follows the paired test; the table of differences says by how much and how surely."""

import csv
import io

import pytest
from tests.reporting.conftest import RUN
from tests.reporting.test_report_latex import body_of, braces_balance, columns_of

from clinbench.errors import UserError
from clinbench.reporting.comparisons import Comparisons
from clinbench.reporting.differences import difference_rows, differences
from clinbench.reporting.layouts import MORTALITY, RETRIEVAL
from clinbench.reporting.table import build

FACTS = {"cohort_a": {"title": "Cohort A", "synthetic": False}, "terms": {"title": "T", "synthetic": False}}


def pair(first, second, p, metric="auroc", difference=-0.0042):
    known = difference is not None
    return {
        "first": first, "second": second, "metric": metric, "difference": difference,
        "se": 0.002 if known else None, "interval": [-0.009, 0.001] if known else None, "p": p,
        "p_bootstrap": p, "p_delong": p if metric == "auroc" else None, "n_valid": 1000 if known else 0,
        "note": None if known else "undefined on this test set",
    }  # fmt: skip


def paired(
    *pairs,
    seeds=(0, 1),
    block=("cohort_a", "mortality_lstm", ""),
    unit="patient",
    sd=0.0031,
    training_draws=0,
):
    names = dict.fromkeys(name for one in pairs for name in (one["first"], one["second"]))
    metrics = {one["metric"]: {"mean": 0.8, "sd": sd} for one in pairs}
    facts = {"seeds": list(seeds), "search": {"budget": 6, "selection": "validation"}, "values": metrics}
    return {
        **dict(zip(("dataset", "model", "level"), block, strict=True)),
        **{"unit": unit, "n": 500, "groups": 480, "seeds": list(seeds), "draws": 1000, "absent": {}},
        **{"training_draws": training_draws},
        **{"systems": dict.fromkeys(names, facts), "pairs": list(pairs)},
    }


def table_of(risk_record, pairs, **options):
    values = {"bce": 0.84, "csce_scr": 0.86, "gbt": 0.85}
    records = [risk_record(system, value=value) for system, value in values.items()]
    return build(records, MORTALITY, [paired(*pairs, **options)] if pairs else [])


def bold_of(table, column=0):
    return {line.label for line in table.blocks[0].lines if line.cells[column].bold}


def test_bold_is_the_best_and_what_the_test_cannot_tell_from_it(risk_record):
    pairs = [pair("bce", "csce_scr", 0.01), pair("bce", "gbt", 0.3), pair("csce_scr", "gbt", 0.2)]
    table = table_of(risk_record, pairs)
    assert bold_of(table) == {"CSCE+λSCR", "GBT"}
    assert bold_of(table, 1) == set()  # no comparison of that metric
    assert "**.860** (.010)" in table.to_markdown() and r"\textbf{.860} (.010)" in table.to_latex()
    for text in (table.to_markdown(), table.to_latex()):
        words = " ".join(text.split())
        assert "every row whose paired difference from it is not significant" in words
        assert "patient, 1,000 draws, Holm's p" in words


@pytest.mark.parametrize(("ties", "auprc"), [(0.0, {"CSCE+λSCR"}), (0.3, set())])
def test_a_trapezoid_that_ties_flatter_ranks_nothing(risk_record, ties, auprc):
    names = ("bce", "csce_scr", "gbt")
    records = [risk_record(name, facts={"tied_scores": ties if name == "gbt" else 0.0}) for name in names]
    pairs = [
        pair(first, second, 0.001, metric)
        for metric in ("auroc", "auprc")
        for first, second in (("bce", "csce_scr"), ("bce", "gbt"), ("csce_scr", "gbt"))
    ]
    for record, value in zip(records, (0.4, 0.6, 0.5), strict=True):
        for row in record["rows"]:
            row["value"] = value
    table = build(records, MORTALITY, [paired(*pairs)])
    assert bold_of(table) == {"CSCE+λSCR"} and bold_of(table, 1) == auprc


def test_holm_is_within_the_column(risk_record):
    pairs = [pair("bce", "csce_scr", 0.03), pair("csce_scr", "gbt", 0.03)]
    assert bold_of(table_of(risk_record, pairs)) == {"BCE", "CSCE+λSCR", "GBT"}
    assert bold_of(table_of(risk_record, [pair("bce", "csce_scr", 0.02), *pairs[1:]])) == {"CSCE+λSCR"}


def test_without_comparisons_nothing_is_bold_nor_said(risk_record):
    table = table_of(risk_record, [])
    assert bold_of(table) == set()
    assert "Bold" not in table.to_markdown() and r"\textbf{.8" not in table.to_latex()


def test_the_spread_over_seeds_is_shown_where_there_are_several(risk_record):
    table = table_of(risk_record, [pair("bce", "csce_scr", 0.5)])
    text = table.to_markdown()
    assert "<br>SD .003" in text and "SD is the standard deviation over the seeds" in text
    assert "with one seed" not in text
    single = table_of(risk_record, [pair("bce", "csce_scr", 0.5)], seeds=[0], sd=None).to_markdown()
    assert "SD" not in single and "the trained models are compared" in single


def test_systems_are_bold_by_level(coding_record):
    records = [coding_record("bm25", value=0.5), coding_record("bi_encoder", "minilm", value=0.7)]
    block = {"block": ("terms", "", ""), "unit": "document", "seeds": [0], "sd": None}
    table = build(records, RETRIEVAL, [paired(pair("bm25", "bi_encoder", 0.001, "exact_f1"), **block)])
    bold = [
        (line.label, column.group, column.title)
        for line in table.blocks[0].lines
        for column, cell in zip(table.layout.columns, line.cells, strict=True)
        if cell.bold
    ]
    assert bold == [("Bi-encoder (MiniLM)", "Exact code", "F1")]


RECORD = paired(
    pair("bce", "csce_scr", 0.01), pair("gbt", "bce", 0.03), pair("csce_scr", "gbt", 0.9),
    pair("bce", "csce_scr", None, "auprc", None), pair("gbt", "bce", 0.5, "auprc"),
)  # fmt: skip


def test_differences_are_from_the_reference_whichever_way_they_were_made():
    rows = {(row["metric"], row["system"]): row for row in difference_rows(RECORD, "bce")}
    assert len(rows) == 4
    assert rows["auroc", "csce_scr"]["difference"] == 0.0042 and rows["auroc", "gbt"]["difference"] == -0.0042
    assert (rows["auroc", "csce_scr"]["low"], rows["auroc", "csce_scr"]["high"]) == (-0.001, 0.009)
    assert rows["auroc", "csce_scr"]["p_holm"] == 0.02 and rows["auroc", "gbt"]["p_holm"] == 0.03
    assert rows["auprc", "gbt"]["p_holm"] == 0.5 and rows["auprc", "csce_scr"]["p_holm"] is None
    assert difference_rows(RECORD, "cbce") == []


def test_the_table_of_differences_is_sound_in_every_format():
    coding = paired(
        pair("bm25", "bi_encoder", 0.0001, "exact_f1"), pair("bm25", "bi_encoder", 0.2, "exact_mrr"),
        block=("terms", "", ""), unit="document", seeds=[0],
    )  # fmt: skip
    rows = difference_rows(RECORD, "bce") + difference_rows(coding, "bm25")
    table = differences(rows, FACTS, [RUN])
    text, latex = table.to_markdown(), table.to_latex()
    assert "| AUROC: CSCE+λSCR | +.0042 | " in " ".join(text.split()).replace("\\", "")
    assert "−.0042" in text and "<.001" in text and "less BCE, n = 500 of 480 patients, 2 seeds" in text
    assert "Exact code, less BM25, n = 500 of 480 documents, 1 seed" in text
    assert "undefined on this test set" in text and "MRR" not in text
    assert latex.isascii() and braces_balance(latex)
    for part in latex.split(r"\begin{table*}")[1:]:
        assert {columns_of(line) for line in body_of(part)} == {6}
    read = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert len(read) == 5 and read[0]["reference"] == "bce" and read[-1]["level"] == "exact"


def test_a_level_shows_what_its_table_shows():
    record = RECORD | {"level": "0.05"}
    rows = difference_rows(record, "bce")
    assert {row["metric"] for row in rows} == {"auroc"} and {row["level"] for row in rows} == {"0.05"}
    with pytest.raises(UserError, match="no rows"):
        differences([], FACTS, [RUN])


def test_a_thinned_block_says_of_how_many_draws_it_is():
    block = ("cohort_a", "mortality_lstm", "0.05")
    record = paired(pair("bce", "csce_scr", 0.01), block=block, training_draws=3)
    table = differences(difference_rows(record, "bce"), FACTS, [RUN])
    assert "2 seeds in each of 3 draws" in table.to_markdown()
    lone = paired(pair("bce", "csce_scr", 0.01), seeds=(0,), training_draws=3)
    assert "with one seed" not in Comparisons.of([lone]).note()
