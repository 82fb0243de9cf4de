"""The text at the end of a run."""

import pytest

from clinbench.errors import UserError
from clinbench.reporting.layouts import MORTALITY, RETRIEVAL
from clinbench.reporting.summary import summary
from clinbench.reporting.table import build


def written(folder, name, table):
    for suffix, text in ((".csv", table.to_csv()), (".md", table.to_markdown()), (".tex", table.to_latex())):
        (folder / f"{name}{suffix}").write_text(text, encoding="utf-8")
    return [folder / f"{name}{suffix}" for suffix in (".csv", ".md", ".tex")]


def test_paths_and_main_numbers_in_100_columns(tmp_path, monkeypatch, risk_record, coding_record):
    monkeypatch.chdir(tmp_path)
    risk = build([risk_record(), risk_record("a" * 90)], MORTALITY)
    coding = build([coding_record(), coding_record("cross_encoder", "bsc-bio-ehr-es")], RETRIEVAL)
    tables = [
        path.relative_to(tmp_path) for path in written(tmp_path, "m", risk) + written(tmp_path, "r", coding)
    ]
    (tmp_path / "f.pdf").touch()
    text = summary(tables, [tmp_path / "f.pdf"])
    lines = text.splitlines()
    assert "Table   m.csv (also .md, .tex)" in lines and any("f.pdf" in line for line in lines)
    assert max(len(line) for line in lines if str(tmp_path) not in line) <= 100
    assert "cohort_a, LSTM, n = 500 stays" in text and "terms, n = 900 mentions" in text
    bce = next(line for line in lines if line.split()[:1] == ["BCE"])
    assert bce.count(".854 [.834, .874]") == 4


def test_columns_are_aligned(tmp_path, risk_record):
    table = build([risk_record(), risk_record("csce_scr")], MORTALITY)
    lines = summary(written(tmp_path, "m", table), []).splitlines()
    head = next(line for line in lines if "AUROC" in line)
    start = head.index("AUROC")
    assert all(
        line[start - 2 : start + 1] == "  ." for line in lines if line.strip().startswith(("BCE", "CSCE"))
    )


def test_the_csv_beside_a_listed_table_is_read(tmp_path, risk_record):
    csv, _, tex = written(tmp_path, "m", build([risk_record()], MORTALITY))
    text = summary([tex], [])
    assert f"Table   {tex} (also .md, .csv)" in text and ".854 [.834, .874]" in text
    csv.unlink()
    assert ".854" not in summary([tex], [])


def test_synthetic_data_are_labelled(tmp_path, risk_record):
    record = risk_record(dataset="synthetic", facts={"title": "Made-up stays", "synthetic": True})
    assert "SYNTHETIC" in summary(written(tmp_path, "m", build([record], MORTALITY)), [])


def test_what_was_not_written_is_said(tmp_path):
    assert "NOT WRITTEN: .csv" in summary([tmp_path / "m.csv"], [])
    assert "NOT WRITTEN: .png" in summary([], [tmp_path / "f.png"])
    assert summary([], []).startswith("No tables")


def test_undefined_numbers_and_foreign_files(tmp_path, risk_record):
    record = risk_record()
    for row in record["rows"]:
        row |= {"value": None, "std": None, "ci_low": None, "ci_high": None}
    assert "–" in summary(written(tmp_path, "m", build([record], MORTALITY)), [])
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="other.csv, line 1"):
        summary([tmp_path / "other.csv"], [])
