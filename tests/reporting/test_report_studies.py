"""Tables laid out by what was run: single phenotypes, and the imbalance study."""

import pytest
from tests.reporting.conftest import FACTS, RUN, row
from tests.reporting.test_report_latex import body_of, braces_balance, columns_of

from clinbench.errors import UserError
from clinbench.reporting.layouts import MORTALITY, PHENOTYPING
from clinbench.reporting.studies import imbalance, phenotypes
from clinbench.reporting.summary import summary
from clinbench.reporting.table import build

LABELS = {"Shock": 41, "Pneumonia (except that caused by tuberculosis)": 70, "Septicemia": 0}
LEVELS = ("all", "0.05", "0.001")
SIZES = {
    "all": {"n": [400], "positives": [60]},
    "0.05": {"n": [357, 361, 358], "positives": [17, 21, 18]},
}
SKIP = {"dataset": "cohort_a", "model": "mortality_lstm", "level": "0.001", "reason": "under 5 positives"}


def phenotyping_record(system="bce", dataset="cohort_a", synthetic=False):
    where = {"task": "phenotyping", "dataset": dataset, "model": "phenotyping_lstm", "system": system}
    averages = ("micro_auroc", "macro_auroc", "weighted_auroc")
    rows = [row(**where, metric=metric, value=0.7) for metric in averages]
    rows += [row(**where, subset=label) for label in LABELS]
    rows[-1] |= {"value": None, "std": None, "ci_low": None, "ci_high": None, "n_valid": 0}
    facts = FACTS | {"title": f"Cohort {dataset}", "synthetic": synthetic, "label_positives": LABELS}
    return {"rows": rows, "provenance": [RUN], "facts": facts}


def imbalance_record(system="bce", level="0.05", draws=(0.81, 0.79, 0.84), **changes):
    rows = [
        row(system=system, level=level, subset=subset, metric=metric, value=value, **changes)
        for metric in ("auroc", "average_precision", "minpse")
        for subset, value in [("all", 0.8), *((f"draw {at}", value) for at, value in enumerate(draws))]
    ]
    facts = FACTS | {"title": "Cohort", "synthetic": False, "positives": 60}
    return {"rows": rows, "provenance": [RUN], "facts": facts | {"train_sizes": {level: SIZES[level]}}}


@pytest.fixture
def study():
    records = [
        imbalance_record(system, level, SIZES[level]["n"] and [0.8 + at / 100 for at in range(draws)])
        for system in ("bce", "bce_scr")
        for level, draws in (("all", 1), ("0.05", 3))
    ]
    records.append({"absent": [SKIP | {"system": system} for system in ("bce", "bce_scr")]})
    return build(records, imbalance(LEVELS))


def test_phenotyping_shows_the_averages_only():
    table = build([phenotyping_record("csce_scr"), phenotyping_record()], PHENOTYPING)
    (block,) = table.blocks
    assert [line.label for line in block.lines] == ["BCE", "CSCE+λSCR"]
    assert [cell.value for cell in block.lines[0].cells] == [".700"] * 3
    assert block.detail == "LSTM, n = 500 stays, 3 labels each, 111 positive"
    assert len(table.rows) == 12


def test_published_phenotyping_stands_below():
    record = phenotyping_record(dataset="mimic3")
    for number in record["rows"]:
        number["n"] = 6281
    theirs = build([record], PHENOTYPING).blocks[0].lines[1]
    assert theirs.label == "published" and [cell.value for cell in theirs.cells] == [".822", ".772", ".758"]


def test_one_line_a_phenotype_and_one_column_a_system():
    records = [phenotyping_record(system) for system in ("gbt", "csce", "bce_scr", "bce")]
    table = build(records, phenotypes(["gbt", "csce", "bce_scr", "bce"]))
    titles = [column.title for column in table.layout.columns]
    assert titles == ["Positive", "BCE", "BCE+λSCR", "CSCE", "GBT"]
    lines = table.blocks[0].lines
    assert [line.label for line in lines] == list(LABELS)
    assert [cell.value for cell in lines[0].cells] == ["41", *[".854"] * 4]
    assert lines[0].cells[1].interval == "[.834, .874]"
    assert [cell.value for cell in lines[2].cells] == ["0", *["–"] * 4]
    assert "n = 500 stays" in table.blocks[0].detail
    assert {row["subset"] for row in table.rows} == set(LABELS)


def test_a_phenotypes_column_that_could_not_run_says_why():
    absent = {"dataset": "cohort_a", "model": "phenotyping_lstm", "system": "gbt", "reason": "no time"}
    table = build([phenotyping_record(), {"absent": [absent]}], phenotypes(["bce", "gbt"]))
    assert {line.cells[2].value for line in table.blocks[0].lines} == {"n/a"}
    assert table.notes == {"not available: no time": "a"}


def test_every_block_of_phenotypes_is_a_float_with_its_own_data():
    records = [phenotyping_record(), phenotyping_record(dataset="other", synthetic=True)]
    latex = build(records, phenotypes(["bce"])).to_latex()
    one, other = latex.split(r"\end{table*}")[:2]
    assert "Cohort other" not in one and r"cohort\_a" not in other
    assert "Synthetic data:" in other and "ynthetic" not in one
    assert r"\label{tab:phenotypes-cohort-a-phenotyping-lstm}" in one
    assert braces_balance(latex) and r"\usepackage{graphicx}" in one
    (rows,) = {columns_of(line) for line in body_of(one) if "tabular" not in line}
    assert rows == 3


def test_a_wrapped_name_stands_beside_value_and_interval():
    latex = build([phenotyping_record()], phenotypes(["bce"])).to_latex()
    (line,) = [line for line in latex.splitlines() if line.startswith(r"\raggedright Shock")]
    assert line.endswith(r"41 & \begin{tabular}[t]{@{}c@{}}.854 {\tiny (.010)}\\[-2pt]{\tiny "
                         r"{[}.834, .874{]}}\end{tabular} \\")  # fmt: skip


def test_imbalance_has_levels_over_metrics_and_the_range_over_draws(study):
    assert [(column.group, column.title) for column in study.layout.columns[:3]] == [
        ("All positives", "AUROC"),
        ("All positives", "AP"),
        ("5 % positive", "AUROC"),
    ]
    cells = study.blocks[0].lines[0].cells
    assert (cells[0].spread, cells[2].spread) == ("", ".800–.820")
    assert "range over the draws of the training stays" in study.to_markdown()
    assert "mean over the draws of the training stays and the seeds" in study.to_markdown()
    assert {row["subset"] for row in study.rows} == {"all", "draw 0", "draw 1", "draw 2"}
    assert {columns_of(line) for line in body_of(study.to_latex())} == {7}
    assert r"& {\tiny .800--.820} & " in study.to_latex()


def test_skipped_levels_are_marked_with_their_reason(study):
    for line in study.blocks[0].lines:
        assert [(cell.value, cell.mark) for cell in line.cells[4:]] == [("skipped", "a")] * 2
    assert study.notes == {"skipped: under 5 positives": "a"}


def test_training_sizes_stand_over_the_block(study):
    assert study.blocks[0].detail == (
        "LSTM, n = 500 stays, 60 positive; trained on: All positives, 400 stays, 60 positive, 1 draw; "
        "5 % positive, 357–361 stays, 17–21 positive, 3 draws"
    )


def test_records_that_disagree_on_training_sizes_are_refused():
    one, other = imbalance_record(), imbalance_record("bce_scr")
    other["facts"]["train_sizes"] = {"0.05": {"n": [1], "positives": [1]}}
    with pytest.raises(UserError, match="train_sizes of '0.05'"):
        build([one, other], imbalance(LEVELS))


def test_a_skipped_level_does_not_touch_the_mortality_table(risk_record):
    table = build([risk_record(), {"absent": [SKIP | {"system": "csce_scr"}]}], MORTALITY)
    assert [line.label for line in table.blocks[0].lines] == ["BCE"] and not table.notes


def test_summaries_of_both_fit_the_terminal(tmp_path, study):
    (tmp_path / "imbalance.csv").write_text(study.to_csv())
    (tmp_path / "phenotypes.csv").write_text(build([phenotyping_record()], phenotypes(["bce"])).to_csv())
    (tmp_path / "phenotyping.csv").write_text(build([phenotyping_record()], PHENOTYPING).to_csv())
    paths = [tmp_path / f"{name}.csv" for name in ("imbalance", "phenotypes", "phenotyping")]
    lines = summary(paths, []).splitlines()
    (head,) = [line for line in lines if "5 % positive" in line]
    assert "AUROC all" in head and max(len(line) for line in lines if str(tmp_path) not in line) <= 100
    assert sum(line.split()[:1] == ["BCE"] for line in lines) == 2
    assert not any("Shock" in line for line in lines)


def test_layouts_without_columns_are_refused():
    for make in (phenotypes, imbalance):
        with pytest.raises(UserError, match="at least one"):
            make([])
    with pytest.raises(UserError, match="no rows"):
        build([{"absent": [SKIP | {"system": "bce"}]}], phenotypes(["bce"]))
