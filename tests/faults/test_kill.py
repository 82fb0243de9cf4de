"""kill -9 at random moments, then the same command again: the results are those of a run that was never killed."""

import random
import signal

import pytest
from tests.faults.tiny import Workflow, kill

SAME = (".tex", ".md", ".csv", ".trec", ".safetensors", ".tsv", ".jsonl")


def check(run, uninterrupted):
    run.finish()
    ours, theirs = run.results(*SAME), uninterrupted.results(*SAME)
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []
    assert not run.states()
    assert not list(run.folder.glob("results/**/.*.tmp"))


def kill_all(run, seed, kinds):
    """Kill a run once for each kind; return how many of the kills fell into a training that had saved."""
    dice, inside = random.Random(seed), 0
    for training in kinds:
        where = kill(run, dice, training)
        print(f"seed {seed}: killed {where}")  # shown where the test fails
        if where is None:
            pytest.fail("The run ended before it was killed: the tiny trainings are too short.")
        inside += bool(run.states())
    return inside


def test_killed_twice_the_tables_are_the_same(tmp_path, encoder, uninterrupted):
    run = Workflow(tmp_path / "run", encoder)
    assert kill_all(run, 20, (False, True)) >= 1
    check(run, uninterrupted)
    assert "going on after" in " ".join(file.read_text() for file, _ in run.logs())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_killed_four_times_the_tables_are_the_same(tmp_path, encoder, uninterrupted, seed):
    run = Workflow(tmp_path / "run", encoder)
    kinds = [True, True, False, False]
    random.Random(seed).shuffle(kinds)
    assert kill_all(run, seed, kinds) >= 2  # ten of all twenty moments
    check(run, uninterrupted)


@pytest.mark.slow
def test_sigterm_saves_fails_the_job_and_the_next_run_goes_on(tmp_path, encoder, uninterrupted):
    run = Workflow(tmp_path / "run", encoder)
    assert run.kill_at(lambda: bool(run.states()), 0.1, signal.SIGTERM)
    assert "Error" in run.tail() and run.states()
    assert "SIGTERM: saved" in " ".join(file.read_text() for file, _ in run.logs())
    check(run, uninterrupted)
    assert "going on after" in " ".join(file.read_text() for file, _ in run.logs())
