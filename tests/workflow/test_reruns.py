"""What an edit reruns, and nothing besides: the table of docs/reruns.md, asked of dry-runs."""

import json
import re
import subprocess
import sys
from collections import Counter

import pytest
from tests.paths import ROOT
from tests.runs import copy_checkout

LIBRARY = "workflow_scripts/clinbench/"
CODE = ["\nfrom", "\nOTHER = 1\nfrom"]
EDITS = {
    "nothing": {},
    "nothing that counts": {  # all at once: a comment, a docstring, unrelated code, the order of keys, unused data
        "files": [
            [f"{LIBRARY}risk/train.py", "\nfrom", "\n# why\nfrom"],
            [f"{LIBRARY}risk/losses/bce.py", '"""', '"""Said otherwise. '],
            [f"{LIBRARY}risk/losses/csce.py", *CODE[:1], "\nif TYPE_CHECKING:\n    import json\nfrom"],
            [f"{LIBRARY}cohorts/physionet_records.py", *CODE],
            [f"{LIBRARY}progress.py", "\nItem", "\nOTHER = 1\nItem"],
            [f"{LIBRARY}digest.py", "\nSCRIPTS", "\nOTHER = 1\nSCRIPTS"],
        ],
        "config": {"bootstrap": {"interval_draws": 1000, "std_draws": 100}, "data": {"codiesp": "."}},
    },
    "a caption and a published number": {
        "files": [
            [f"{LIBRARY}reporting/caption.py", *CODE],
            [f"{LIBRARY}reporting/published.yaml", "\n", "\n# checked\n"],
        ]
    },
    "bootstrap draws": {"config": {"bootstrap": {"std_draws": 50}}},
    "the grid of one loss": {"config": {"risk": {"losses": {"bce_scr": {"scr_weights": [0.002]}}}}},
    "the code of one loss": {"files": [[f"{LIBRARY}risk/losses/cbce.py", *CODE]]},
    "another seed": {"config": {"seeds": [0, 1]}},
    "the perplexity of t-SNE": {"config": {"risk": {"tsne": {"perplexity": 30}}}},
    "the shortlist of the re-ranker": {
        "config": {"coding": {"retrievers": {"cross_encoder": {"shortlist": 5}}}}
    },
    "a row less": {"config": {"risk": {"rows": ["bce", "bce_scr", "gbt"]}}},
    "the training of a model": {"files": [[f"{LIBRARY}risk/train.py", *CODE]]},
}


@pytest.fixture(scope="module")
def rerun(tmp_path_factory):
    """Return the first outputs of the jobs that run after each edit of a finished run."""
    folder = copy_checkout(tmp_path_factory.mktemp("checkout"))
    done = subprocess.run(
        [sys.executable, ROOT / "tests/workflow/replan.py"],
        input=json.dumps(list(EDITS.values())),
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(zip(EDITS, json.loads(done.stdout.splitlines()[-1]), strict=True))


def kinds(outputs):
    """Count outputs by what they are."""
    names = {
        r"history\.json": "training",
        r"predictions\.csv": "prediction",
        r"seed=\d+/model$": "fine-tuning",
        r"run\.trec": "run",
        r"^results/metrics/": "evaluation",
        r"^results/tables/": "table",
        r"^results/figures/": "figure",
        r"running_time": "timing",
        r"^results/(claims|manifest|report)": "page",
    }
    found = [next((name for key, name in names.items() if re.search(key, path)), path) for path in outputs]
    return dict(
        Counter(kind for kind in found if kind != "page")
    )  # what sums up the run follows any change of it


LONG = {"training", "prediction", "fine-tuning", "run"}


@pytest.mark.parametrize("edit", ["nothing", "nothing that counts"])
def test_what_cannot_change_a_result_reruns_nothing(rerun, edit):
    assert kinds(rerun[edit]) == {}


def test_what_a_table_says_reruns_tables_and_captioned_figures_alone(rerun):
    counts = kinds(rerun["a caption and a published number"])
    assert "table" in counts and set(counts) <= {"table", "figure"}


def test_draws_of_the_bootstrap_rerun_evaluations_and_what_shows_them(rerun):
    counts = kinds(rerun["bootstrap draws"])
    assert not LONG & set(counts)
    assert {"evaluation", "table", "figure"} <= set(counts) and counts["evaluation"] >= 9


def test_a_losss_grid_and_code_rerun_that_loss_alone(rerun):
    for edit, rows in (("the grid of one loss", {"bce_scr"}), ("the code of one loss", {"cbce_scr"})):
        trained = [path for path in rerun[edit] if path.endswith("history.json")]
        assert {path.split("/")[6] for path in trained} == rows and len(trained) == 2
        assert not [path for path in rerun[edit] if "/coding/" in path]


def test_another_seed_trains_that_seed_alone(rerun):
    row_level = [path for path in rerun["another seed"] if "/seed=" in path]
    assert row_level and all("/seed=1/" in path for path in row_level)
    data = (".npz", ".safetensors", "queries.tsv")
    assert not [path for path in rerun["another seed"] if path.endswith(data) and path not in row_level]


def test_how_a_figure_is_drawn_redraws_it_alone(rerun):
    assert kinds(rerun["the perplexity of t-SNE"]) == {"figure": 1}


def test_a_re_rankers_shortlist_trains_nothing(rerun):
    counts = kinds(rerun["the shortlist of the re-ranker"])
    assert counts["run"] == 1 and not {"training", "fine-tuning"} & set(counts)


def test_a_row_less_makes_tables_and_figures_alone(rerun):
    assert not LONG & set(kinds(rerun["a row less"]))


def test_the_code_of_the_training_reruns_every_network_of_its_track_alone(rerun):
    counts = kinds(rerun["the training of a model"])
    assert counts["training"] == 8 and "fine-tuning" not in counts and "run" not in counts
