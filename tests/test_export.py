"""The archive of what may leave: results of the workflow, whole or not at all."""

import json
import zipfile

import numpy as np
import polars as pl
import pytest

from clinbench.errors import UserError
from clinbench.export import known_site, pack
from tests.test_shareable import SIZES, csv_of

PATIENTS = np.array(["10006", "10011", "40124"])
TITLES = {"mimic3": "MIMIC-III"}
TABLE, STATISTICS = (
    [f"tables/{name}{suffix}" for suffix in (".run.json", ".tex", ".md", ".csv")]
    for name in ("lstm", "sizes")
)
FIGURES = [
    [f"figures/{name}.pdf", f"figures/{name}.run.json"] for name in ("tsne_mimic3", "tsne_synthetic", "scr")
]
METRICS = ["metrics/risk/mimic3/lstm/bce.json", "metrics/risk/mimic3/lstm/bce.run.json"]
RESULTS = [TABLE, STATISTICS, *FIGURES, METRICS, ["figures/tsne_unknown.png"]]


@pytest.fixture
def results(tmp_path):
    """Results of a credentialed and an open cohort, and row-level files that went astray."""

    def write(name, content):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)

    store = tmp_path / "private/risk/mimic3"
    store.mkdir(parents=True)
    stays = np.array([f"{one}_episode1_timeseries.csv" for one in PATIENTS])
    split = np.array(["train"] * 3).repeat(40)
    np.savez(store / "mortality.npz", stays=stays.repeat(40), patients=PATIENTS.repeat(40), split=split)
    for file in RESULTS[0] + RESULTS[1] + sum(FIGURES, []) + METRICS + ["figures/tsne_unknown.png"]:
        write(file, '{"n": 3236}' if file.endswith("json") else "text")
    write("tables/lstm.csv", csv_of({}))
    write("tables/sizes.csv", SIZES + "mimic3,mortality,val,50,40,1,4,0.1\n")
    write("tables/sizes.md", "| val | 50 | 4 |")
    for cohort in ("mimic3", "synthetic"):
        write(f"figures/tsne_{cohort}.run.json", json.dumps({"settings": {f"{cohort}/bce": {}}}))
    write("tables/10006.csv", csv_of({}))
    write("metrics/risk/mimic3/predictions.csv", "stay,prediction\n10006,.5\n")
    write("figures/old.pdf", "%PDF")
    return tmp_path


def test_the_archive_has_what_may_leave_and_nothing_private(results):
    packed, refused = pack(results, results / "export.zip", RESULTS, TITLES, [])
    with zipfile.ZipFile(results / "export.zip") as archive:
        assert sorted(archive.namelist()) == sorted(packed)
        assert archive.read("tables/lstm.csv").decode() == csv_of({})
    assert {*packed} == {*TABLE, *FIGURES[1], *FIGURES[2], *METRICS}
    strays = {"tables/", "figures/", "metrics/"}
    assert {*refused} == {*STATISTICS, *FIGURES[0], "figures/tsne_unknown.png", *strays}
    assert refused["figures/tsne_mimic3.pdf"] == [
        "it shows single stays of mimic3; allow_figures: true would share them"
    ]
    assert refused["tables/"] == ["1 files are no results of this configuration"]


def test_a_table_that_may_not_leave_keeps_all_its_formats(results):
    _, refused = pack(results, results / "export.zip", RESULTS, TITLES, [])
    assert "a count from 1 to 9" in refused["tables/sizes.csv"][0]
    for suffix in ("md", "tex", "run.json"):
        assert refused[f"tables/sizes.{suffix}"] == ["it belongs to a file that may not leave"]


def test_no_reason_and_no_name_repeats_an_id(results):
    (results / "tables/lstm.md").write_text("| 10006 | 10011 |")
    _, refused = pack(results, results / "export.zip", RESULTS, TITLES, [])
    assert refused["tables/lstm.md"] == ["line 1: it holds an id"]
    assert "10006" not in json.dumps(refused) and "10011" not in json.dumps(refused)


def test_what_is_private_counts_whatever_is_selected_now(results):
    """The cohort was credentialed when its files were made; the configuration has others now."""
    packed, refused = pack(results, results / "export.zip", RESULTS, {}, [])
    assert "tables/sizes.csv" in refused and "figures/tsne_mimic3.pdf" in refused
    (results / METRICS[0]).write_text('{"positives": [2], "stays": 50}')
    (results / "tables/lstm.csv").write_text(csv_of({"dataset": "synthetic", "subset": "10006"}))
    _, refused = pack(results, results / "export.zip", RESULTS, {}, [])
    assert "a count from 1 to 9" in refused[METRICS[0]][0]
    assert "it holds an id" in refused["tables/lstm.csv"][0]


def test_allowed_figures_are_packed_and_the_same_files_give_the_same_archive(results):
    for name in ("one.zip", "two.zip"):
        packed, _ = pack(results, results / name, RESULTS, TITLES, ["mimic3"])
    assert "figures/tsne_mimic3.pdf" in packed
    assert (results / "one.zip").read_bytes() == (results / "two.zip").read_bytes()


def test_ids_come_from_every_kind_of_private_file(tmp_path):
    for folder in ("risk/mimic3/prepared", "coding/mentions_tsv", "scores/synthetic"):
        (tmp_path / folder).mkdir(parents=True)
    frame = pl.DataFrame(
        {"subject_id": [10006], "hadm_id": [142345], "icustay_id": [206504], "hours": [55555]}
    )
    frame.write_parquet(tmp_path / "risk/mimic3/prepared/stays.parquet")
    (tmp_path / "coding/mentions_tsv/queries.tsv").write_text("query_id\tdoc\tquery\nline:2\tS1-2\tfever\n")
    (tmp_path / "scores/synthetic/bce.csv").write_text("stay,prediction\nmine_1,0.5\n")
    site = known_site(tmp_path, {"mimic3": "MIMIC-III"})
    assert site.ids == {"10006", "142345", "206504", "line:2", "S1-2", "mine_1"}
    assert site.titles == {"mimic3": "MIMIC-III", "mentions_tsv": "mentions_tsv", "synthetic": "synthetic"}
    (tmp_path / "risk/mimic3/mortality.npz").write_bytes(b"cut off")
    with pytest.raises(UserError, match="it is not known which ids"):
        known_site(tmp_path, {})
