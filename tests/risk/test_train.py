"""Training: same seed same numbers, resume equals no interruption, the best epoch is kept."""

import signal

import numpy as np
import pytest
import torch
from tests.flips import flip

from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError
from clinbench.interrupts import handled
from clinbench.risk import train as training
from clinbench.risk.losses.supervised import SupervisedContrastiveLoss
from clinbench.risk.models.mortality_lstm import MortalityLSTM
from clinbench.risk.search import Setting
from clinbench.risk.settings import restore, seconds_spent, train_settings
from clinbench.risk.stays import Stays, predict
from clinbench.risk.tasks import Selection
from clinbench.risk.train import Recipe, train

RECIPE = Recipe(batch_size=16, epochs=4, learning_rate=0.01, gradient_clip=1.5)
MODEL = {"kind": "mortality_lstm", "task": "mortality", "hidden": 4, "dropout": 0.3}


def toy_cohort(n=60, seed=0):
    random = np.random.default_rng(seed)
    labels = (random.random(n) < 0.4).astype(np.float32)
    values = random.normal(size=(n, 6, 3)) + labels[:, None, None]
    stays = np.array([f"{i}_episode1_timeseries.csv" for i in range(n)])
    split = np.array((["train"] * 4 + ["val", "test"]) * (n // 6))
    return Cohort(values.reshape(-1, 3), np.arange(n + 1) * 6, labels, stays, stays, split, list("abc"))


def accuracy(labels, probabilities):
    return float(((probabilities > 0.5) == labels).mean())


def run(state, epochs=4, score=accuracy, learning_rate=0.01):
    cohort = toy_cohort()
    recipe = Recipe(16, epochs, learning_rate, 1.5)
    loss = SupervisedContrastiveLoss("cbce", 0.1, check_values=False)
    data, validation = (Stays.of(cohort.select(split), "cpu") for split in ("train", "val"))
    build = lambda: MortalityLSTM(3, outputs=2, hidden=4)  # noqa: E731
    return train(build, loss, data, validation, score, recipe, 7, state)


def same(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def test_same_seed_same_bytes_whatever_the_global_state(tmp_path):
    torch.manual_seed(1)
    first = run(tmp_path / "a")
    torch.manual_seed(2)
    before = torch.get_rng_state()
    second = run(tmp_path / "b")
    assert same(first[0], second[0])
    assert first[1] == second[1]
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("interrupted_after", [1, 3])
def test_resume_equals_no_interruption(tmp_path, interrupted_after):
    whole = run(tmp_path / "whole")
    run(tmp_path / "cut", epochs=interrupted_after)
    resumed = run(tmp_path / "cut")
    assert same(whole[0], resumed[0])
    assert whole[1] == resumed[1]


@pytest.mark.parametrize("steps", [(1,), (2, 5), (9,), (12,)])  # of 4 epochs of 3 batches
def test_sigterm_in_an_epoch_saves_and_the_rest_is_the_same(tmp_path, monkeypatch, steps):
    whole = run(tmp_path / "whole")
    taken, step = iter(range(1, 1000)), training.step

    def interrupting(*arguments):
        if next(taken) in steps:
            signal.raise_signal(signal.SIGTERM)
        return step(*arguments)

    monkeypatch.setattr(training, "step", interrupting)
    for _ in steps:
        with handled(), pytest.raises(SystemExit) as left:
            run(tmp_path / "cut")
        assert left.value.code == 128 + signal.SIGTERM
    resumed = run(tmp_path / "cut")
    assert same(whole[0], resumed[0])
    assert whole[1] == resumed[1]
    assert next(taken) == 12 + 1  # no step was taken twice


def test_the_best_epoch_is_kept(tmp_path):
    scores = iter([0.2, 0.9, 0.9, 0.1])
    weights, record = run(tmp_path / "a", score=lambda y, p: next(scores))
    assert (record["epoch"], record["score"]) == (2, 0.9)
    first_two = iter([0.2, 0.9])
    only_two = run(tmp_path / "b", epochs=2, score=lambda y, p: next(first_two))
    assert same(weights, only_two[0])


def test_an_undefined_score_never_wins(tmp_path):
    scores = iter([float("nan"), 0.3, float("nan"), 0.2])
    _, record = run(tmp_path / "a", score=lambda y, p: next(scores))
    assert (record["epoch"], record["score"]) == (2, 0.3)
    assert record["epochs"][0]["score"] is None


def test_a_diverging_loss_stops_and_names_the_epoch(tmp_path):
    with pytest.raises(UserError, match="epoch 1"):
        run(tmp_path / "a", learning_rate=float("inf"))


def settings(state, weights=(0.0, 0.1)):
    chosen = [Setting(weight, 0) for weight in weights]
    return train_settings(
        toy_cohort(),
        MODEL,
        {"kind": "csce"},
        chosen,
        RECIPE,
        Selection("mortality", "auroc"),
        preset="clean",
        seed_parts=("toy", 16, 0),
        device="cpu",
        state=state,
    )


def test_a_finished_setting_is_not_trained_again(tmp_path):
    first, _ = settings(tmp_path, (0.0,))
    (done,) = tmp_path.glob("*.safetensors")
    stamp = done.stat().st_mtime_ns
    both, _ = settings(tmp_path)
    assert done.stat().st_mtime_ns == stamp
    assert both[0] == first[0]
    assert not list(tmp_path.glob("*.resume"))


def test_seconds_are_kept_and_summed_over_jobs(tmp_path, monkeypatch):
    chosen = [Setting(0.0, 0), Setting(0.1, 0)]
    assert seconds_spent(tmp_path, chosen) == 0
    settings(tmp_path, (0.0,))
    first = seconds_spent(tmp_path, chosen)
    assert 0 < first < 60
    monkeypatch.setattr(training, "interrupted", lambda: True)
    with pytest.raises(SystemExit):
        settings(tmp_path)
    assert seconds_spent(tmp_path, chosen) > first


def test_an_unreadable_state_is_trained_anew(tmp_path, capsys):
    first = settings(tmp_path)
    for file in tmp_path.glob("*.safetensors"):
        torn = file.read_bytes()[:100]
        file.unlink()  # what was loaded is still mapped to the old one
        file.write_bytes(torn)
    again = settings(tmp_path)
    assert again[0] == first[0] and same(first[1], again[1])
    assert "starting over" in capsys.readouterr().err


@pytest.mark.parametrize(
    "word", [b"history", b"batches", b"seconds", b"total", b"best.", b"random.cpu", b"shape", b"F32", None]
)
def test_a_flipped_bit_in_a_resume_state_starts_over(tmp_path, capsys, word):
    whole = run(tmp_path / "whole")
    run(tmp_path / "cut", epochs=2)
    flip(tmp_path / "cut", word)
    again = run(tmp_path / "cut")
    assert same(whole[0], again[0]) and whole[1] == again[1]
    told = capsys.readouterr().err
    assert "starting over" in told and "going on after" not in told


@pytest.mark.parametrize("word", [b"record", b"seconds", None])
def test_a_flipped_bit_in_a_finished_setting_trains_it_anew(tmp_path, capsys, word):
    first = settings(tmp_path)
    damaged = sorted(tmp_path.glob("*.safetensors"))[0]
    flip(damaged, word)
    assert seconds_spent(tmp_path, [Setting(0.0, 0), Setting(0.1, 0)]) > 0  # of the other
    again = settings(tmp_path)
    assert again[0] == first[0] and same(first[1], again[1])
    assert "starting over" in capsys.readouterr().err


def test_stored_weights_predict_the_recorded_score(tmp_path):
    from clinbench.evaluation.binary import binary_metrics

    records, weights = settings(tmp_path)
    held_out = Stays.of(toy_cohort().select("val"), "cpu")
    for index, record in enumerate(records):
        model = MortalityLSTM(3, outputs=2, hidden=4)
        restore(weights, index, model)
        probabilities, _ = predict(model, SupervisedContrastiveLoss("csce"), held_out)
        assert binary_metrics(held_out.labels.numpy(), probabilities)["auroc"] == pytest.approx(
            record["score"]
        )
