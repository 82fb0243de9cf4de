"""A run on a credentialed cohort at toy size: what lies outside results/private, and what the export packs."""

import csv
import json
import zipfile

import numpy as np
import pytest
import yaml
from tests.runs import copy_checkout, run_snakemake

STUDIES = [
    "cohort_statistics",
    "stay_lengths",
    "selected_settings",
    "differences",
    "tsne",
    "calibration",
    "subgroups",
]
OVERLAY = {
    "tracks": ["risk"],
    "device": "cpu",
    "bootstrap": {"std_draws": 20, "interval_draws": 20},
    "risk": {
        **{"rows": ["bce", "gbt"], "studies": STUDIES, "budget": 1, "batch_sizes": [64], "epochs": 1},
        "baselines": {"gbt": {"trees": 5}},
        "tsne": {"batch_size": 64, "iterations": 250},
        "subgroups": {"age_bands": [65], "least": 1},
        "synthetic": {"stays": 200, "access": "credentialed"},
    },
}
ROW_LEVEL = {".safetensors", ".npz", ".npy", ".parquet", ".pkl", ".pt"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = copy_checkout(tmp_path_factory.mktemp("credentialed"))
    (folder / "overlay.yaml").write_text(yaml.safe_dump(OVERLAY))
    done = run_snakemake("all", "export", "--cores", 2, "--configfile", "overlay.yaml", cwd=folder)
    assert done.returncode == 0, done.stdout[-6000:]
    return folder / "results"


@pytest.fixture(scope="module")
def ids(results):
    with np.load(results / "private/risk/synthetic/mortality.npz", allow_pickle=False) as stored:
        return {*stored["stays"].tolist(), *stored["patients"].tolist()}


def outside(results):
    return [path for path in results.rglob("*") if path.is_file() and "private" not in path.parts]


def test_no_weights_tensors_or_stays_lie_outside_the_private_store(results, ids):
    found = outside(results)
    assert len(found) > 20 and len(ids) > 100
    assert list(results.glob("private/.state/*/*.safetensors")) and not (results / ".state").exists()
    assert not [path for path in found if path.suffix in ROW_LEVEL or "tsne" in path.name]
    assert not (results / "open").exists()
    for path in found:
        text = path.read_bytes().decode("latin-1")
        assert not [one for one in ids if not one.isdigit() and one in text], path


def test_no_shared_file_has_a_small_count(results):
    exact = json.loads((results / "private/risk/synthetic/mortality.run.json").read_text())["statistics"]
    assert any(0 < exact[name]["positives"] < 10 for name in ("train", "val", "test"))
    shared = {path.suffix: path.read_text() for path in (results / "tables").glob("cohort_statistics.*")}
    assert all("10" in text and "<10" in text.replace(r"\textless{}", "<") for text in shared.values())
    metrics = json.loads((results / "metrics/risk/synthetic/mortality_lstm/bce.json").read_text())
    test = exact["test"]["positives"]
    assert metrics["facts"]["positives"] == "<10" or test >= 10
    lengths = (results / "tables/stay_lengths.csv").read_text().splitlines()[1].split(",")
    assert lengths[6:8] == ["", ""]


def test_small_subgroups_and_bins_are_hidden_as_in_no_open_run(results):
    with open(results / "tables/subgroups.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert {row["subset"] for row in rows} > {"All stays", "Sex: female", "Age: 65 or over"}
    assert all(row["n"] == "hidden" or int(row["n"]) >= 10 for row in rows)
    for name in ("calibration", "subgroups"):
        record = json.loads((results / f"metrics/risk/synthetic/mortality_lstm/{name}.json").read_text())
        for one in record["records"]:
            counts = [*one["facts"].get("group_positives", {}).values()]
            counts += [part[key] for part in one.get("bins", []) for key in ("positives", "negatives")]
            assert counts and all(isinstance(count, str) or count >= 10 for count in counts)


def test_every_result_of_the_workflow_may_leave(results):
    record = json.loads((results / "export.run.json").read_text())
    assert record["refused"] == {}
    with zipfile.ZipFile(results / "export.zip") as archive:
        names = archive.namelist()
    shared = [path for place in ("tables", "figures", "metrics") for path in (results / place).rglob("*")]
    shared += [results / f"claims.{suffix}" for suffix in ("csv", "md", "run.json", "tex")]
    assert sorted(names) == sorted(path.relative_to(results).as_posix() for path in shared if path.is_file())
    assert "metrics/risk/synthetic/mortality_lstm/bce.json" in names and len(names) == 6 * 4 + 3 * 2 + 9 + 6


def test_the_page_holds_what_may_leave_and_no_picture_of_stays(results):
    html = (results / "report/index.html").read_text()
    assert 'id="tables-mortality_lstm"' in html and "tsne" not in html and "Left out of this page" not in html
    assert 'class="access credentialed"' in html
    manifest = json.loads((results / "manifest.json").read_text())
    private = [
        name for result in manifest["results"] for name in result["inputs"] if name.startswith("private/")
    ]
    assert not [name for result in manifest["results"] for name in private if result["inputs"].get(name)]


def test_finished_trainings_are_found_again(results):
    folder = results.parent
    weights = next(results.glob("private/risk/synthetic/*/all/bce/batch=64/seed=0/weights.safetensors"))
    weights.unlink()
    target = weights.relative_to(folder)
    done = run_snakemake(target, "--cores", 1, "--configfile", "overlay.yaml", cwd=folder)
    assert done.returncode == 0, done.stdout[-3000:]
    assert json.loads((weights.parent / "run.json").read_text())["reused"] == 1
