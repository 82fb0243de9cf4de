"""The tables and the figure of calibration and subgroups, and the mark of tied scores."""

import csv
import io

import pytest
from tests.reporting.conftest import FACTS, RUN, row
from tests.reporting.test_report_latex import body_of, braces_balance, columns_of

from clinbench.errors import UserError
from clinbench.governance import HIDDEN, SUPPRESSED, hide
from clinbench.reporting.layouts import MORTALITY
from clinbench.reporting.reliability import plot_reliability
from clinbench.reporting.studies import layout_named
from clinbench.reporting.summary import summary
from clinbench.reporting.table import build

METRICS = ("brier", "brier_skill", "ece", "ece_if_calibrated", "mean_probability")
GROUPS = {"All stays": 200, "Sex: female": 90, "Sex: male": SUPPRESSED, "Sex: unknown": SUPPRESSED}
DEATHS = {"All stays": 30, "Sex: female": 0, "Sex: male": SUPPRESSED, "Sex: unknown": SUPPRESSED}


def bin_of(predicted, observed, positives, negatives=40):
    return {
        "predicted": predicted, "observed": observed, "ci_low": max(0, observed - 0.1),
        "ci_high": observed + 0.1, "positives": positives, "negatives": negatives,
    }  # fmt: skip


def calibration_record(system="bce", synthetic=False, dataset="cohort_a", **facts):
    values = dict(zip(METRICS, (0.08, -0.2, 0.031, 0.012, 0.13), strict=True))
    rows = [
        row(system=system, dataset=dataset, metric=name, value=value, ci_low=value - 0.01, ci_high=value)
        for name, value in values.items()
    ]
    told = FACTS | {"title": f"Cohort {dataset}", "synthetic": synthetic, "positives": 60, "bins": 3} | facts
    bins = [bin_of(0.02, 0.05, 2), bin_of(0.1, 0.12, 30), bin_of(0.4, 0.3, 50)]
    return {"rows": rows, "provenance": [RUN], "facts": told, "bins": bins}


def subgroup_record(system="bce"):
    rows = []
    for name, n in GROUPS.items():
        for metric in ("auroc", "average_precision"):
            changes = {"subset": name, "metric": metric, "system": system, "n": n}
            if name != "All stays":
                changes |= {"value": None, "std": None, "ci_low": None, "ci_high": None, "n_valid": 0}
            rows.append(row(**changes))
    counts = {"group_stays": GROUPS, "group_positives": DEATHS, "least": 12}
    told = FACTS | {"title": "Cohort", "synthetic": True, "positives": 30} | counts
    return {"rows": rows, "provenance": [RUN], "facts": told}


def test_calibration_names_its_bins_and_marks_what_is_off_by_construction(tmp_path):
    records = [calibration_record("cbce", caveat="overconfident by construction"), calibration_record()]
    table = build(records, layout_named("calibration", records))
    (block,) = table.blocks
    assert [line.label for line in block.lines] == ["BCE", "CBCE"]
    assert [cell.value for cell in block.lines[0].cells] == [".080", "−.200", ".031", ".012", ".130"]
    assert [line.mark for line in block.lines] == ["", "a"]
    assert table.notes == {"CBCE: overconfident by construction": "a"}
    assert "in 3 bins of equally many probabilities" in table.to_markdown()
    (tmp_path / "calibration.csv").write_text(table.to_csv())
    assert summary([tmp_path / "calibration.csv"], []).strip() == f"Table   {tmp_path}/calibration.csv"
    latex = table.to_latex()
    assert latex.isascii() and braces_balance(latex)
    assert {columns_of(line) for line in body_of(latex)} == {6}


def test_subgroups_show_counts_once_and_hide_small_ones(tmp_path):
    records = [subgroup_record("gbt"), subgroup_record()]
    table = build(records, layout_named("subgroups", records))
    assert [block.detail for block in table.blocks] == [
        "LSTM, AUROC, n = 200 stays, 30 positive",
        "LSTM, AP, n = 200 stays, 30 positive",
    ]
    everyone, women, men, _ = table.blocks[0].lines
    assert [cell.value for cell in everyone.cells] == ["200", "30", ".854", ".854"]
    assert [cell.value for cell in women.cells] == ["90", "0", "–", "–"]  # one class: undefined, not zero
    assert [cell.value for cell in men.cells] == [SUPPRESSED] * 4
    assert table.notes == {}
    text = table.to_markdown()
    assert "fewer than 10 stays, 12 deaths or 12 survivors" in text and "**Synthetic data:**" in text
    assert "(n = 200 stays, 30 positive)" in text
    read = [one for one in csv.DictReader(io.StringIO(table.to_csv())) if one["subset"] == "Sex: male"]
    assert len(read) == 4 and all((one["value"], one["n"]) == ("", SUPPRESSED) for one in read)
    (tmp_path / "subgroups.csv").write_text(table.to_csv())
    assert summary([tmp_path / "subgroups.csv"], []).strip() == f"Table   {tmp_path}/subgroups.csv"
    latex = table.to_latex()
    assert latex.isascii() and braces_balance(latex) and latex.count(r"\begin{table*}") == 2


@pytest.mark.parametrize(("ties", "marks"), [(0.05, {"": 5}), (0.24, {"": 4, "a": 1})])
def test_many_tied_scores_mark_the_trapezoid(risk_record, ties, marks):
    table = build([risk_record(facts={"tied_scores": ties})], MORTALITY)
    (line,) = table.blocks[0].lines
    found = [cell.mark for cell in line.cells]
    assert {mark: found.count(mark) for mark in set(found)} == marks
    if ties > 0.05:
        assert line.cells[1].mark == "a" and table.layout.columns[1].title == "AUPRC"
        assert list(table.notes) == [
            "24% of the scores are tied, which flatters AUPRC and ranks nothing: read AP"
        ]


def test_the_figure_is_written_the_same_and_wants_bins(tmp_path):
    records = [calibration_record(name, True) for name in ("bce", "cbce_scr", "gbt", "theirs")]
    records += [calibration_record("bce", dataset="b")]
    for name in ("one", "two"):
        plot_reliability(records, tmp_path / f"{name}.pdf", tmp_path / f"{name}.png")
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()
    assert (tmp_path / "one.png").stat().st_size > 5000
    with pytest.raises(UserError, match="no bins"):
        plot_reliability([calibration_record() | {"bins": []}], tmp_path / "a.pdf", tmp_path / "a.png")


def test_small_bins_of_credentialed_data_lose_what_was_observed(tmp_path):
    shown = hide(calibration_record())
    assert [one["observed"] for one in shown["bins"]] == [None, None, 0.3]  # the second hides the first
    assert [one["positives"] for one in shown["bins"]] == [HIDDEN, HIDDEN, 50]
    assert shown["facts"]["bins"] == 3
    plot_reliability([shown], tmp_path / "a.pdf", tmp_path / "a.png")
