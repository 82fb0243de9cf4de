"""The caption says what a reader must know, in Markdown and in LaTeX."""

import pytest

from clinbench.errors import UserError
from clinbench.reporting.layouts import MORTALITY, RETRIEVAL
from clinbench.reporting.table import build


def both(table):
    return " ".join(table.to_markdown().split()), " ".join(table.to_latex().replace("~", " ").split())


def test_caption_names_data_seeds_selection_budget_and_uncertainty(risk_record):
    wanted = [
        "In-hospital mortality.", "Cohort", "n = 500 stays, 60 positive", "Seeds: 3", "validation AUROC",
        "6 trainings a row and seed", "100 bootstrap resamples of patients", "interval of 1,000 resamples",
    ]  # fmt: skip
    for text in both(build([risk_record()], MORTALITY)):
        assert [words for words in wanted if words not in text] == []


def test_caption_of_coding_tells_the_pool(coding_record):
    for text in both(build([coding_record()], RETRIEVAL)):
        assert "n = 900 mentions, pool of 8,123 codes" in text


def test_synthetic_data_are_labelled_in_caption_and_block(risk_record):
    markdown, latex = both(
        build([risk_record(facts={"synthetic": True}), risk_record(dataset="b")], MORTALITY)
    )
    assert markdown.count("**Synthetic data:**") == 1 and markdown.count("**(synthetic data)**") == 1
    assert latex.count(r"\textbf{Synthetic data:}") == 1 and latex.count("(synthetic data)}") == 1


def test_real_data_are_not_called_synthetic(risk_record):
    assert "ynthetic" not in build([risk_record()], MORTALITY).to_markdown()


def test_values_that_differ_by_row_are_listed(coding_record):
    records = [
        coding_record("bm25", seeds=1, selection="", facts={"search_budget": 0}),
        coding_record("bi_encoder", seeds=3),
        coding_record("cross_encoder", seeds=3),
    ]
    text = build(records, RETRIEVAL).to_markdown()
    assert "Seeds: 1 (BM25); 3 (Bi-encoder, Cross-encoder)." in text
    assert "nothing to select (BM25); validation AUROC (Bi-encoder, Cross-encoder)" in text
    assert "Search budget: none (BM25); 6 trainings a row and seed (Bi-encoder, Cross-encoder)." in text


def test_values_that_differ_by_data_set_are_listed(risk_record):
    records = [risk_record(seeds=1), risk_record("bce_scr", seeds=1), risk_record(dataset="b", seeds=5)]
    assert "Seeds: 1 (Cohort cohort\\_a); 5 (Cohort b)." in build(records, MORTALITY).to_markdown()


def test_values_that_differ_by_both_are_listed(risk_record):
    records = [risk_record(seeds=1), risk_record("bce_scr", seeds=2), risk_record(dataset="b", seeds=2)]
    text = build(records, MORTALITY).to_markdown()
    assert "1 (BCE, Cohort cohort\\_a); 2 (BCE+λSCR, Cohort cohort\\_a, BCE, Cohort b)" in text


def test_selection_on_the_test_set_is_called_optimistic(risk_record):
    text = build([risk_record(selection="test AUROC")], MORTALITY).to_markdown()
    assert "**Selected on the test set, hence optimistic.**" in text
    text = build([risk_record(selection="validation AUROC, latest epoch")], MORTALITY).to_markdown()
    assert "optimistic" not in text


def test_what_was_not_recorded_is_not_invented(risk_record):
    record = risk_record()
    record["facts"] = {"title": "Cohort", "synthetic": False}
    text = build([record], MORTALITY).to_markdown()
    assert "Search budget: not recorded." in text and "an unrecorded number of bootstrap resamples" in text


@pytest.mark.parametrize(
    ("dirty", "told"), [(True, "with uncommitted changes"), (False, "commit 0123456789.")]
)
def test_the_commit_is_told(risk_record, dirty, told):
    record = risk_record()
    record["provenance"] = [record["provenance"][0] | {"git_dirty": dirty}]
    assert told in build([record], MORTALITY).to_markdown()


def test_means_over_resamples_are_told_and_shown_with_plus_minus(risk_record):
    table = build([risk_record(facts={"value": "bootstrap_mean"})], MORTALITY)
    assert table.blocks[0].lines[0].cells[0].std == "± .010"
    for text in both(table):
        assert "Each value is the mean over 100 bootstrap resamples of patients" in text
        assert "in parentheses" not in text and "interval of 1,000 resamples" in text
    assert r".854 $\pm$ .010" in table.to_latex()


def test_both_kinds_of_value_in_one_table_are_told_apart(risk_record):
    records = [risk_record(), risk_record("bce_scr", facts={"value": "bootstrap_mean"})]
    table = build(records, MORTALITY)
    assert [line.cells[0].std for line in table.blocks[0].lines] == ["(.010)", "± .010"]
    text = table.to_markdown()
    assert "in parentheses its standard deviation" in text and "with ± it is the mean over these" in text


def test_an_unknown_kind_of_value_is_refused(risk_record):
    with pytest.raises(UserError, match="value is 'median', not sample or bootstrap_mean"):
        build([risk_record(facts={"value": "median"})], MORTALITY)
