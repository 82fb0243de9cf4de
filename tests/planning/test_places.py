"""Where things are: stores by access, row-level folders, wildcards, the state of data."""

import re

import pytest
from tests.paths import ROOT

from clinbench.errors import UserError
from planning import places
from planning.checks import require_apart
from planning.places import access_constraint, data_state, one_of, store


def test_credentialed_data_are_kept_apart(config):
    assert store(config, "risk", "synthetic") == "results/open/risk/synthetic"
    config["risk"]["synthetic"]["access"] = "credentialed"
    assert store(config, "risk", "synthetic") == "results/private/risk/synthetic"
    pattern = re.compile(f"results/({access_constraint(config)})/risk/synthetic/mortality.npz")
    assert pattern.fullmatch("results/private/risk/synthetic/mortality.npz")
    assert not pattern.fullmatch("results/open/risk/synthetic/mortality.npz")


def test_row_level_folders_lie_apart(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    config["risk"]["cohorts"] = ["synthetic", "mimic3"]
    inside = [
        "folders",
        ".",
        "results/open/x",
        "results/private",
        "results/private/../x",
        "link/x",
        str(ROOT / "x"),
    ]
    for given in inside:
        config["risk"]["mimic3"] = {"write_benchmark_folders": given}
        with pytest.raises(UserError, match=r"results/private:\n.*risk.mimic3.write_benchmark_folders: "):
            require_apart(config)
    for given in (None, "results/private/mimic3", "../elsewhere", str(tmp_path.parent / "folders")):
        config["risk"]["mimic3"] = {"write_benchmark_folders": given}
        require_apart(config)


def test_longer_names_are_tried_first():
    assert re.fullmatch(f"({one_of(['bce', 'bce_scr'])})(_scr)?", "bce_scr").group(1) == "bce_scr"
    assert not re.search(one_of([]), "anything")


def test_data_edited_in_place_are_noticed_and_moved_ones_are_not_a_change(tmp_path):
    folder = tmp_path / "data"
    (folder / "set-a").mkdir(parents=True)
    record = folder / "set-a" / "1.txt"
    record.write_text("old")
    before = data_state([str(folder)])
    folder = folder.rename(tmp_path / "moved")
    assert data_state([str(folder)]) == before
    (folder / "set-a" / "1.txt").write_text("newer")
    assert data_state([str(folder)]) == before, "a plan walks its data once"
    places._walked.cache_clear()  # as a new process
    assert data_state([str(folder)]) != before
