"""An interrupted training ends with the bytes of an uninterrupted one, whichever step it was interrupted at."""

import json
import signal
from functools import cache

import pytest
import torch
from tests.flips import flip

from clinbench.checkpoints import read_facts, seconds_kept
from clinbench.coding.context import Context
from clinbench.coding.resume import Resumable
from clinbench.coding.systems import bi_encoder, cross_encoder
from clinbench.interrupts import handled

BI = {"epochs": 3, "batch_size": 8, "learning_rate": 1e-3, "supervision": ["A", "mentions"]}
CROSS = {"epochs": 3, "groups_per_step": 5, "learning_rate": 1e-3}


@pytest.fixture(scope="module")
def fit(train, table, groups, examples, encoder_folder):
    """Train one of the two systems; the model's bytes and the summary without its seconds."""

    def run(system, folder, state):
        made_of = Context(encoder_folder, None, encoder_folder, examples=examples, seed=3, state=state)
        options = BI if system is bi_encoder else CROSS
        torch.manual_seed(len(str(folder)))  # what the process drew before does not matter
        summary = system.fit(train, train[:0], table, groups, options, made_of, folder)
        stages = summary.values() if system is bi_encoder else [summary]
        told = [{key: value for key, value in stage.items() if key != "seconds"} for stage in stages]
        return (folder / "model.safetensors").read_bytes(), told

    return run


@pytest.fixture(scope="module")
def uninterrupted(fit, tmp_path_factory):
    return cache(lambda system: fit(system, tmp_path_factory.mktemp("whole") / "model", None))


@pytest.fixture
def interrupt(monkeypatch):
    """Send SIGTERM after the given steps, counted over all trainings and resumptions of a test."""

    def at(*steps):
        due, count = Resumable.due, iter(range(1, 10_000))

        def counted(trainer):
            if next(count) in steps:
                signal.raise_signal(signal.SIGTERM)
            return due(trainer)

        monkeypatch.setattr(Resumable, "due", counted)

    return at


# A stage of the bi-encoder takes 3 × 4 or 5 steps, the cross-encoder 3 × 7.
@pytest.mark.parametrize(
    ("system", "steps"),
    [
        (bi_encoder, (3,)),
        (bi_encoder, (2, 11, 20)),
        (cross_encoder, (7,)),
        (cross_encoder, (2, 11)),
        (cross_encoder, (21,)),
    ],
)
def test_interrupted_at_a_step_equals_uninterrupted(system, steps, fit, uninterrupted, interrupt, tmp_path):
    whole = uninterrupted(system)
    interrupt(*steps)
    for part in range(len(steps)):
        with handled(), pytest.raises(SystemExit) as left:
            fit(system, tmp_path / f"cut{part}", tmp_path / "state")
        assert left.value.code == 128 + signal.SIGTERM
    assert fit(system, tmp_path / "resumed", tmp_path / "state") == whole
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("cut")]


def test_a_finished_training_is_not_trained_again(fit, uninterrupted, interrupt, tmp_path):
    fit(bi_encoder, tmp_path / "a", tmp_path / "state")
    assert {path.name for path in (tmp_path / "state").iterdir()} == {"A.resume", "mentions.resume"}
    interrupt(1)  # no step is taken
    assert fit(bi_encoder, tmp_path / "b", tmp_path / "state") == uninterrupted(bi_encoder)


def test_seconds_are_summed_over_interruptions(fit, interrupt, tmp_path, monkeypatch):
    interrupt(4)
    with handled(), pytest.raises(SystemExit):
        fit(cross_encoder, tmp_path / "a", tmp_path / "state")
    (state,) = (tmp_path / "state").iterdir()
    assert 0 < read_facts(state)["seconds"] < 60
    monkeypatch.setattr("clinbench.coding.resume.FIRST", 1e9)
    before = read_facts(state)["seconds"]
    fit(cross_encoder, tmp_path / "b", tmp_path / "state")
    assert read_facts(state)["seconds"] > before


def test_an_unreadable_state_starts_over(fit, uninterrupted, tmp_path, capsys):
    (tmp_path / "state").mkdir()
    (tmp_path / "state/groups.resume").write_bytes(b"torn" * 100)
    assert fit(cross_encoder, tmp_path / "again", tmp_path / "state") == uninterrupted(cross_encoder)
    assert "starting over" in capsys.readouterr().err


@pytest.mark.parametrize("word", [b"groups", b"last_logged", b"seconds", b"running_loss", None])
def test_a_flipped_bit_starts_over(fit, uninterrupted, interrupt, tmp_path, capsys, word):
    interrupt(5)
    with handled(), pytest.raises(SystemExit):
        fit(cross_encoder, tmp_path / "a", tmp_path / "state")
    flip(tmp_path / "state/groups.resume", word)
    assert seconds_kept((tmp_path / "state").iterdir()) == 0
    assert fit(cross_encoder, tmp_path / "b", tmp_path / "state") == uninterrupted(cross_encoder)
    told = capsys.readouterr().err
    assert "starting over" in told and "going on after" not in told


def test_a_state_holds_no_pickle_and_no_text(fit, train, tmp_path):
    fit(cross_encoder, tmp_path / "a", tmp_path / "state")
    (state,) = (tmp_path / "state").iterdir()
    content = state.read_bytes()
    json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    assert not any(query.encode() in content for query in train["query"])
