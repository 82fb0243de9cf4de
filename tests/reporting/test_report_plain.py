"""Tables without metrics: sizes, lengths, chosen settings, running times."""

import csv
import io

import numpy as np
import pytest
from scipy.stats import skew
from tests.reporting.conftest import RUN
from tests.reporting.test_report_latex import NASTY, body_of, braces_balance, columns_of

from clinbench.cohorts import statistics
from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError
from clinbench.reporting import study_rows
from clinbench.reporting.data_tables import cohort_statistics, stay_lengths
from clinbench.reporting.run_tables import running_time, selected_settings
from clinbench.reporting.summary import summary

FACTS = {
    name: {"title": f"Cohort {name}", "synthetic": name == "made_up"} for name in ("a_1", "made_up", "mimic3")
}
SPLIT = np.array(["train"] * 4 + ["val"] * 2 + ["test"] * 2)
PATIENTS = np.array(["p", "p", "q", "r", "s", "s", "t", "u"])


def record(dataset, task, labels, patients, split, hours):
    """Return what rule build_cohort keeps of a cohort."""
    stays, hours = [str(i) for i in range(len(labels))], np.asarray(hours, dtype=int)
    offsets = np.append(0, hours.cumsum())
    cohort = Cohort(np.zeros((offsets[-1], 1)), offsets, labels, stays, patients, split, ["x"])
    names = {"cohort": dataset, "task": task}
    return {"wildcards": names, "statistics": statistics.cohort_statistics(cohort)}


def cohort_rows(dataset, task, labels, patients, split):
    return study_rows.cohort_rows(record(dataset, task, labels, patients, split, np.ones(len(labels), int)))


def length_rows(dataset, task, hours, split):
    return study_rows.length_rows(record(dataset, task, np.eye(8)[0], PATIENTS, split, hours))


def setting(**changes):
    base = {
        "dataset": "a_1", "task": "mortality", "model": "mortality_lstm", "system": "bce_scr", "seed": 0,
        "scr_weight": 0.003, "batch_size": 1024, "init": 1, "epoch": 7, "metric": "auroc", "score": 0.8512,
        "n": 1234, "selection": "validation AUROC", "other": "",
    }  # fmt: skip
    return base | changes


def timing(**changes):
    base = {"dataset": "a_1", "model": "mortality_lstm", "system": "csce_scr", "ratios": [1.0, 1.2, 1.4, 3.0],
            "batch_size": 256, "device": "cpu", "n": 400}  # fmt: skip
    return base | changes


def all_tables():
    sizes = cohort_rows("a_1", "mortality", np.eye(8)[0], PATIENTS, SPLIT)
    lengths = length_rows("made_up", "phenotyping", np.arange(1, 9), SPLIT)
    return [
        cohort_statistics(sizes, FACTS, [RUN]),
        stay_lengths(lengths, FACTS, [RUN]),
        selected_settings([setting(), setting(dataset="made_up", seed=1)], FACTS, [RUN]),
        running_time([timing(), timing(system="bce", ratios=[1.0])], FACTS, [RUN]),
    ]


def test_sizes_are_counted_by_split():
    rows = cohort_rows("a", "mortality", np.array([1, 0, 0, 0, 1, 1, 0, 1]), PATIENTS, SPLIT)
    assert [(row["split"], row["stays"], row["patients"], row["positives"]) for row in rows] == [
        ("train", 4, 3, 1),
        ("val", 2, 1, 2),
        ("test", 2, 2, 1),
    ]
    assert [row["share"] for row in rows] == [0.25, 1.0, 0.5]


def test_several_labels_are_counted_together():
    labels = np.zeros((8, 5))
    labels[:2] = 1
    (row, *_) = cohort_rows("a_1", "phenotyping", labels, PATIENTS, SPLIT)
    assert (row["labels"], row["positives"], row["share"]) == (5, 10, 0.5)
    table = cohort_statistics([row], FACTS, [RUN])
    assert table.blocks[0].detail == "Phenotyping, 5 labels each"
    assert [cell.value for cell in table.blocks[0].lines[0].cells] == ["4", "3", "10", "50.00 %"]


def test_lengths_are_described_as_by_scipy():
    hours = np.array([3.0, 48, 5, 7, 2, 9, 4, 4])
    rows = length_rows("a_1", "mortality", hours, SPLIT)
    assert rows[0]["skewness"] == pytest.approx(skew(hours[:4]))
    assert rows[0]["std"] == pytest.approx(np.std(hours[:4], ddof=1))
    assert (rows[1]["min"], rows[1]["max"], rows[1]["mean"]) == (2, 9, 5.5)
    assert rows[2]["skewness"] is None
    table = stay_lengths(rows, FACTS, [RUN])
    assert table.blocks[0].lines[2].cells[-1].value == "–"
    assert "– not known or not defined." in table.to_markdown()


def test_published_numbers_stand_below_for_their_data_set_only():
    sizes = [row | {"dataset": name} for name in ("mimic3", "a_1")
             for row in cohort_rows(name, "mortality", np.eye(8)[0], PATIENTS, SPLIT)]  # fmt: skip
    theirs, ours = cohort_statistics(sizes, FACTS, [RUN]).blocks
    assert [line.kind for line in ours.lines] == ["numbers"] * 3
    assert [cell.value for cell in theirs.lines[1].cells] == ["14,681", "", "1,987", "13.53 %"]
    lengths = length_rows("mimic3", "phenotyping", np.arange(1, 9), SPLIT)
    table = stay_lengths(lengths, FACTS, [RUN])
    assert [cell.value for cell in table.blocks[0].lines[5].cells] == [
        "6,281", "88.8", "127.7", "2", "1,993", "5.04",
    ]  # fmt: skip
    assert "Published values: SCEHR" in table.to_markdown()


def test_settings_stand_beside_the_published_ones():
    rows = [setting(system="csce"), setting(seed=1), setting(), setting(system="mine", scr_weight=None)]
    (block,) = selected_settings(rows, FACTS, [RUN]).blocks
    assert [line.label for line in block.lines] == ["BCE+λSCR", "BCE+λSCR", "CSCE", "mine"]
    assert [cell.value for cell in block.lines[0].cells] == [
        "1", "0.003", "1,024", "1", "7", ".851", "0.009", "1,024", "68", ".851",
    ]  # fmt: skip
    assert [cell.value for cell in block.lines[1].cells[6:]] == [""] * 4
    assert [cell.value for cell in block.lines[2].cells[6:]] == ["0", "256", "", ""]
    assert [cell.value for cell in block.lines[3].cells] == ["0", "–", "1,024", "1", "7", ".851", *[""] * 4]
    assert block.detail == "LSTM, scored by AUROC of n = 1,234 validation stays"


def test_the_published_score_is_of_the_same_metric():
    table = selected_settings([setting(metric="average_precision")], FACTS, [RUN])
    assert [cell.value for cell in table.blocks[0].lines[0].cells[6:]] == ["0.009", "1,024", "68", ""]


def test_other_settings_have_a_footnote_and_test_selection_a_warning():
    rows = [setting(system="gbt", other="31 leaves", selection="test AUROC")]
    table = selected_settings(rows, FACTS, [RUN])
    assert table.notes == {"GBT: 31 leaves": "a"} and table.blocks[0].lines[0].mark == "a"
    assert "**Selected on the test set, hence optimistic.**" in table.to_markdown()
    assert "optimistic" not in selected_settings([setting()], FACTS, [RUN]).to_markdown()


def test_running_time_is_a_median_with_quartiles():
    (block,) = running_time([timing(), timing(system="bce", ratios=[1.0] * 3)], FACTS, [RUN]).blocks
    assert [line.label for line in block.lines] == ["BCE", "CSCE+λSCR"]
    assert [cell.value for cell in block.lines[1].cells] == ["1.30", "[1.15, 1.80]", "4", "256", "cpu"]
    with pytest.raises(UserError, match="'csce_scr'"):
        running_time([timing(ratios=[])], FACTS, [RUN])


def test_every_table_is_sound_latex_markdown_and_csv(tmp_path):
    for table in all_tables():
        latex, text = table.to_latex(), table.to_markdown()
        assert latex.isascii() and braces_balance(latex)
        width = len(table.layout.columns) + 1
        for part in latex.split(r"\begin{table*}")[1:]:
            assert {columns_of(line) for line in body_of(part)} == {width}
        assert {line.count("|") for line in text.splitlines() if line.startswith("|")} == {width + 1}
        assert "commit 0123456789" in latex and "commit 0123456789" in text
        read = list(csv.DictReader(io.StringIO(table.to_csv())))
        assert tuple(read[0]) == table.keys and len(read) == len(table.rows)
        (tmp_path / "t.csv").write_text(table.to_csv())
        assert summary([tmp_path / "t.csv"], []).strip() == f"Table   {tmp_path}/t.csv"


def test_synthetic_data_are_labelled():
    table = stay_lengths(length_rows("made_up", "mortality", np.arange(1, 9), SPLIT), FACTS, [RUN])
    assert table.to_markdown().count("ynthetic data") == 2
    assert r"\textbf{Synthetic data:}" in table.to_latex()


def test_nasty_names_do_no_harm():
    facts = {"a_1": {"title": NASTY, "synthetic": False}}
    latex = running_time([timing(system=NASTY, device=NASTY)], facts, [RUN]).to_latex()
    assert latex.isascii() and braces_balance(latex)
    assert {columns_of(line) for line in body_of(latex)} == {6}


@pytest.mark.parametrize(
    ("rows", "facts", "runs", "told"),
    [
        ([], FACTS, [RUN], "no rows"),
        ([timing()], FACTS, [], "without provenance"),
        ([timing()], FACTS, [{"git_commit": "x"}], "config_hash"),
        ([timing()], {}, [RUN], "say in facts whether it is synthetic"),
        ([timing(colour=1)], FACTS, [RUN], "row 1 has unknown keys colour"),
        ([{"dataset": "a_1", "ratios": [1]}], FACTS, [RUN], "row 1 lacks model, system, batch_size"),
    ],
)
def test_what_is_incomplete_is_refused(rows, facts, runs, told):
    with pytest.raises(UserError, match=told):
        running_time(rows, facts, runs)
