"""Provenance: what a record must have, and what counts as a change to the code."""

import subprocess

import pytest

from clinbench import provenance


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True)


def test_a_new_plugin_file_makes_the_checkout_dirty(tmp_path):
    for name in ("workflow_scripts", "rules"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text("1")
    (tmp_path / "Snakefile").write_text("")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "x")
    code = str(tmp_path / "workflow_scripts")
    provenance.git_state.cache_clear()
    assert provenance.git_state(code)["git_dirty"] is False
    assert len(provenance.git_state(code)["git_commit"]) == 40
    (tmp_path / "notes.txt").write_text("not code")
    provenance.git_state.cache_clear()
    assert provenance.git_state(code)["git_dirty"] is False
    (tmp_path / "workflow_scripts" / "focal.py").write_text("")
    provenance.git_state.cache_clear()
    assert provenance.git_state(code)["git_dirty"] is True


def test_no_git_is_unknown_not_clean(tmp_path):
    assert provenance.git_state(str(tmp_path)) == {"git_commit": None, "git_dirty": None}


DATA = {"stays": 9, "sha256": "ab"}


@pytest.mark.parametrize("field", provenance.REQUIRED)
def test_a_record_that_lacks_a_field_is_refused_by_file_and_field(field):
    record = dict.fromkeys(provenance.REQUIRED, 0) | {"data_fingerprint": DATA}
    assert provenance.problems(record, "bce.json") == []
    (problem,) = provenance.problems(record | {field: None}, "bce.json") or [""]
    assert problem == ("" if field in provenance.UNKNOWN else f"bce.json: the record has no {field}.")
    del record[field]
    assert provenance.problems(record, "bce.json") == [f"bce.json: the record has no {field}."]


@pytest.mark.parametrize("data", [{"stays": 9}, {"sha256": "ab"}, ["x"], 5, {}, []])
def test_a_fingerprint_holds_counts_and_a_hash(data):
    record = dict.fromkeys(provenance.REQUIRED, 0) | {"data_fingerprint": data, "rule": "fit"}
    (problem,) = provenance.problems(record, "run.json")
    assert problem == "run.json: data_fingerprint of fit holds no counts and sha256."
