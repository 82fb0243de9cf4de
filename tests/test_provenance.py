"""Provenance: what a record must have, and what counts as a change to the code."""

import subprocess

import pytest

from clinbench import provenance
from clinbench.errors import UserError


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


def test_a_record_that_lacks_a_field_is_refused():
    record = dict.fromkeys(provenance.REQUIRED, 1)
    assert provenance.check(record, "row") is record
    del record["seed"]
    with pytest.raises(UserError, match="seed"):
        provenance.check(record, "row")
