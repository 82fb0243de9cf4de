"""The manifest: what was made of what, with hashes, and of no machine."""

import hashlib
import json
import platform
import re

import pytest

from clinbench.manifest import job_sums, manifest, without_paths

STATE = {"git_commit": "abc", "git_dirty": False}
RESULT = [f"tables/lstm{suffix}" for suffix in (".run.json", ".md", ".csv")]
MADE_OF = ["results/metrics/bce.json", "results/private/risk/x/run.json"]


@pytest.fixture
def root(tmp_path):
    def write(name, content):
        path = tmp_path / "results" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))

    def record(rule, seconds, **names):
        return {"rule": rule, "wildcards": names, "wall_seconds": seconds, "python": "3.11"}

    write("tables/lstm.md", "table")
    write(
        "tables/lstm.run.json",
        record("risk_table", 1.5) | {"made_of": MADE_OF, "n": [9], "git_commit": "abc"},
    )
    write("metrics/bce.json", "metrics")
    write("private/risk/x/run.json", record("train_risk", 10, row="bce", seed="0"))
    write("private/risk/x/seed=1/run.json", record("train_risk", 20, row="bce", seed="1"))
    write("private/risk/x/predict/run.json", record("predict_risk", 10, row="bce", seed="0"))
    write("private/risk/y/run.json", record("train_risk", 99, row="dropped", seed="0"))
    write("private/.state/run.json", record("train_risk", 99, row="bce", seed="0"))
    return tmp_path / "results"


def test_jobs_of_the_selected_cells_are_counted_once(root):
    sums = job_sums(root, {"row": ["bce"], "seed": [0, 1]})
    assert sums["train_risk"] == {"jobs": 2, "wall_seconds": 30}
    assert job_sums(root, {"row": ["bce"], "seed": [0]})["train_risk"]["jobs"] == 1


def test_results_are_told_with_the_hashes_of_files_and_inputs(root):
    config = {"data": {"mimic3": "/home/me/mimic"}, "device": "cpu"}
    told = manifest(
        root, [RESULT, ["tables/gone.run.json"]], config, STATE, {}, {"predict_risk": "train_risk"}
    )
    (result,) = told["results"]
    assert result["name"] == "tables/lstm" and result["rule"] == "risk_table" and result["n"] == [9]
    assert result["files"]["tables/lstm.md"] == hashlib.sha256(b"table").hexdigest()
    assert "tables/lstm.csv" not in result["files"]
    shared, private = "metrics/bce.json", "private/risk/x/run.json"
    assert result["inputs"] == {shared: hashlib.sha256(b"metrics").hexdigest(), private: None}
    assert told["wall_seconds"] == 1.5 + 10 + 20 + 99
    assert told["environment"]["versions"]["numpy"] and told["git_commit"] == "abc"


def test_nothing_of_the_machine_is_told(root):
    config = {
        "data": {"mimic3": "/home/me/mimic", "codiesp": None},
        "coding": {
            "encoders": {"x": {"folder": "~/model", "hub": "a/b"}},
            "llm": {"base_url": "http://host:1/v1"},
        },
        "files": ["C:\\data", "../data", "results"],
    }
    text = json.dumps(manifest(root, [RESULT], config, STATE, {}))
    for part in ("/home", "~/model", "host:1", "C:", "../data", str(root)):
        assert part not in text
    assert not re.search(rf"\b{re.escape(platform.node())}\b", text)
    assert '"hub": "a/b"' in text and '"data": {"mimic3": "/path/to/data"}' in text


def test_words_and_numbers_stay():
    value = {"a": ["x", 0.5, None, True, ""], "b": "validation"}
    assert without_paths(value) == value
