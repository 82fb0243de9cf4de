"""What may leave the site, and what may not, with the reason."""

import json
import zipfile

import numpy as np
import pytest

from clinbench.export import pack
from clinbench.governance import reasons_to_refuse, suppress, suppress_rows

IDS = {"12345", "145834", "211552", "243653", "12345_episode1_timeseries.csv"}
TABLE = "task,dataset,metric,value,n\nmortality,mimic3,auroc,0.8612,3236\n"


def test_small_cells_are_hidden_and_cannot_be_worked_out():
    assert suppress([120, 56]) == [120, 56]
    assert suppress([120, 9, 56]) == [120, None, None]
    assert suppress([120, 9, 0, 56]) == [120, None, None, 56]
    assert suppress([3]) == [None] and suppress([]) == []
    assert suppress([10, 30]) == [10, 30]


def test_metrics_on_few_samples_are_blanked():
    rows = [{"metric": "auroc", "value": 0.9, "std": 0.1, "n": n} for n in (9, 10, None)]
    hidden, shown, unknown = suppress_rows(rows)
    assert hidden["value"] is hidden["std"] is hidden["n"] is None and hidden["metric"] == "auroc"
    assert shown == rows[1] and unknown == rows[2]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.csv", "stay,prediction,y_true\n1,0.5,0\n", "column 'stay' identifies rows of patients"),
        ("a.csv", "SUBJECT_ID,metric,value,n\n7,a,1,50\n", "column 'subject_id' identifies"),
        ("a.csv", "x,y\n0.1,0.2\n", "no table of results: column 'dataset' is missing"),
        ("a.csv", TABLE.replace("mortality,", "145834,"), "column 'task' holds the id 145834"),
        ("a.csv", TABLE.replace("3236", "9"), "column 'n' has a count from 1 to 9"),
        ("a.csv", "dataset,split,stays\nmimic3,val,5\n", "column 'stays' has a count from 1 to 9"),
        ("a.md", "| 12345_episode1 | .9 |", "names a stay: 12345_episode1"),
        ("a.tex", "12345_episode1_timeseries.csv & .9", "names a stay"),
        ("a.md", "| 145834 | 211552 | 243653 |", "holds the id 145834"),
        ("a.json", '{"rows": [{"patient": "12345"}]}', "key 'patient' identifies rows"),
        ("a.json", json.dumps({"scores": list(np.linspace(0, 1, 300))}), "'scores' lists 300 values"),
        ("a.json", '{"note": "145834"}', "'note' holds the id 145834"),
        ("a.json", '{"who": [145834, 211552, 243653]}', "'who' lists ids"),
        ("a.json", '{"splits": {"val": {"stays": 5}}}', "'splits.val.stays' has a count from 1 to 9"),
        ("a.json", '{"positives": [50, 3]}', "'positives' has a count from 1 to 9"),
        ("a.json", "{", "not valid JSON"),
        ("a.npz", "x", "files of type '.npz'"),
        ("a.parquet", "x", "files of type '.parquet'"),
    ],
)
def test_what_is_refused(tmp_path, name, text, reason):
    (tmp_path / name).write_text(text)
    assert reason in "; ".join(reasons_to_refuse(tmp_path / name, IDS))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", TABLE),
        ("a.csv", TABLE.replace("0.8612", "12345")),  # a number may equal an id
        ("a.csv", "dataset,split,stays,min,max\nmimic3,val,3222,1,2804\n"),
        ("a.md", "| LSTM | .861 (.005) | n = 12345 |"),
        ("a.json", json.dumps({"rows": [{"metric": "auroc", "n": 3236}] * 300})),
        ("a.json", '{"stays": 14681, "positives": [400, 0, 12345], "splits": {"val": {"stays": 3222}}}'),
    ],
)
def test_aggregates_pass(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert reasons_to_refuse(tmp_path / name, IDS) == []


def test_small_counts_of_open_data_pass(tmp_path):
    (tmp_path / "a.json").write_text('{"splits": {"val": {"stays": 5}}}')
    assert reasons_to_refuse(tmp_path / "a.json", set(), credentialed=False) == []


@pytest.fixture
def results(tmp_path):
    """Results of a credentialed and an open cohort, with one row-level table that went astray."""
    for place in ("tables", "figures", "metrics/risk/mimic3", "private/risk/mimic3", "open"):
        (tmp_path / place).mkdir(parents=True)
    stays = np.array(["12345_episode1_timeseries.csv"])
    np.savez(tmp_path / "private/risk/mimic3/mortality.npz", stays=stays, patients=np.array(["12345"]))
    (tmp_path / "private/risk/mimic3/predictions.csv").write_text("stay,prediction\n")
    (tmp_path / "tables/mortality_lstm.csv").write_text(TABLE)
    (tmp_path / "tables/astray.csv").write_text(
        "stay,prediction,y_true\n12345_episode1_timeseries.csv,.5,0\n"
    )
    (tmp_path / "metrics/risk/mimic3/bce.json").write_text('{"rows": [{"metric": "auroc", "n": 3236}]}')
    for cohort in ("mimic3", "synthetic"):
        (tmp_path / f"figures/tsne_{cohort}.pdf").write_bytes(b"%PDF")
        (tmp_path / f"figures/tsne_{cohort}.run.json").write_text(
            json.dumps({"settings": {f"{cohort}/bce": {}}})
        )
    (tmp_path / "figures/scr_weights.png").write_bytes(b"PNG")
    (tmp_path / "figures/scr_weights.run.json").write_text('{"n": 3236}')
    (tmp_path / "figures/tsne_unknown.png").write_bytes(b"PNG")
    return tmp_path


def test_the_archive_has_what_may_leave_and_nothing_private(results):
    packed, refused = pack(results, results / "export.zip", {"mimic3": "MIMIC-III"}, [])
    with zipfile.ZipFile(results / "export.zip") as archive:
        names = archive.namelist()
        assert archive.read("tables/mortality_lstm.csv").decode() == TABLE
    assert sorted(names) == sorted(packed)
    assert {*names} == {
        *("tables/mortality_lstm.csv", "metrics/risk/mimic3/bce.json", "figures/tsne_synthetic.pdf"),
        *("figures/tsne_synthetic.run.json", "figures/tsne_mimic3.run.json"),
        *("figures/scr_weights.png", "figures/scr_weights.run.json"),
    }
    assert {*refused} == {"tables/astray.csv", "figures/tsne_mimic3.pdf", "figures/tsne_unknown.png"}
    assert "single stays of mimic3" in refused["figures/tsne_mimic3.pdf"][0]


def test_allowed_figures_are_packed_and_the_same_files_give_the_same_archive(results):
    for name in ("one.zip", "two.zip"):
        packed, _ = pack(results, results / name, {"mimic3": "MIMIC-III"}, ["mimic3"])
    assert "figures/tsne_mimic3.pdf" in packed
    assert (results / "one.zip").read_bytes() == (results / "two.zip").read_bytes()
