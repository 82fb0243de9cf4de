"""Settings trained as one stacked model equal those trained one after the other."""

import numpy as np
import pytest
import torch
from tests.flips import flip
from tests.risk.test_train import MODEL, RECIPE, accuracy, toy_cohort

from clinbench.errors import UserError
from clinbench.risk.losses.supervised import SupervisedContrastiveLoss
from clinbench.risk.models import mortality_lstm, phenotyping_lstm
from clinbench.risk.models.stacked import stacked_lstm
from clinbench.risk.search import Setting
from clinbench.risk.settings import train_settings
from clinbench.risk.stack import train_stack
from clinbench.risk.stays import Stays
from clinbench.risk.tasks import Selection
from clinbench.risk.train import Recipe, train

WEIGHTS = [0.0, 0.1, 3.0]


def losses():
    return [SupervisedContrastiveLoss("cbce", weight, check_values=False) for weight in WEIGHTS]


def stays(dtype):
    cohort = toy_cohort()
    parts = (Stays.of(cohort.select(split), "cpu") for split in ("train", "val"))
    return [
        Stays(part.values.to(dtype), part.offsets, part.statics.to(dtype), part.labels.to(dtype))
        for part in parts
    ]


def builder(dtype, kind=mortality_lstm):
    return lambda: kind.build(3, outputs=2, hidden=4).to(dtype)


def both(tmp_path, dtype, epochs, batch=16, kind=mortality_lstm):
    data, validation = stays(dtype)
    recipe = Recipe(batch, epochs, 0.01, 0.05)  # a clip that binds
    stacked = train_stack(
        builder(dtype, kind),
        kind.stack,
        losses(),
        data,
        validation,
        accuracy,
        recipe,
        7,
        tmp_path / "stack",
    )
    single = [
        train(builder(dtype, kind), loss, data, validation, accuracy, recipe, 7, tmp_path / str(index))
        for index, loss in enumerate(losses())
    ]
    return stacked, single


def distance(one, other):
    return max(float((one[name] - other[name]).abs().max()) for name in other)


@pytest.mark.parametrize("kind", [mortality_lstm, phenotyping_lstm])
def test_three_epochs_in_float64_are_those_of_single_trainings(tmp_path, kind):
    stacked, single = both(tmp_path, torch.float64, 3, kind=kind)
    for (weights, record), (expected, told) in zip(stacked, single, strict=True):
        assert weights.keys() == expected.keys() and distance(weights, expected) < 1e-5
        assert (record["epoch"], record["score"]) == (told["epoch"], told["score"])
        assert [item["skipped_anchors"] for item in record["epochs"]] == [
            item["skipped_anchors"] for item in told["epochs"]
        ]
        np.testing.assert_allclose(
            [item["train_loss"] for item in record["epochs"]],
            [item["train_loss"] for item in told["epochs"]],
            atol=1e-5,
        )
    assert distance(stacked[0][0], stacked[2][0]) > 1e-3  # λ matters here


@pytest.mark.parametrize("kind", [mortality_lstm, phenotyping_lstm])
def test_one_step_in_float32_is_that_of_single_trainings(tmp_path, kind):
    stacked, single = both(tmp_path, torch.float32, 1, batch=64, kind=kind)  # one batch
    assert max(distance(one[0], other[0]) for one, other in zip(stacked, single, strict=True)) < 1e-5


def test_a_stacked_lstm_is_the_librarys(tmp_path):
    torch.manual_seed(0)
    layers = [torch.nn.LSTM(5, 3, batch_first=True).double() for _ in range(4)]
    series = torch.randn(4, 6, 7, 5, dtype=torch.float64)
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    found, _ = stacked_lstm(
        series, *(torch.stack([getattr(layer, name) for layer in layers]) for name in names)
    )
    expected = torch.stack([layer(part)[0] for layer, part in zip(layers, series, strict=True)])
    torch.testing.assert_close(found, expected)
    shared, _ = stacked_lstm(
        series[:1], *(torch.stack([getattr(layer, name) for layer in layers]) for name in names)
    )
    torch.testing.assert_close(shared, torch.stack([layer(series[0])[0] for layer in layers]))
    weights = [torch.stack([getattr(layer, name) for layer in layers]) for name in names]
    begun, state = stacked_lstm(series[:, :, :4], *weights)
    torch.testing.assert_close(
        torch.cat([begun, stacked_lstm(series[:, :, 4:], *weights, state)[0]], 2), found
    )


@pytest.mark.parametrize("training", [False, True])
def test_stays_of_all_lengths_and_labels_are_read_as_by_single_phenotyping_models(training):
    torch.manual_seed(0)
    models = [phenotyping_lstm.build(5, labels=3, outputs=2, hidden=4).double() for _ in range(3)]
    together = phenotyping_lstm.stack(models[0], 3)
    for name, _ in models[0].named_parameters():
        together.of(name).data = torch.stack([model.get_parameter(name).data for model in models])
    series, lengths = torch.randn(9, 12, 5, dtype=torch.float64), torch.tensor([3, 12, 1, 7, 7, 2, 9, 12, 5])
    torch.manual_seed(1)
    found = together.train(training)(series, lengths)
    for model, (logits, embeddings, _) in zip(models, found, strict=True):
        torch.manual_seed(1)
        expected = model.train(training)(series, lengths)
        torch.testing.assert_close(embeddings, expected.embeddings)
        torch.testing.assert_close(logits, expected.logits)
        assert logits.shape == (9, 3, 2)
    assert training == bool((found[0].embeddings == 0).any())


def stacked(state, epochs):
    data, validation = stays(torch.float32)
    return train_stack(
        builder(torch.float32), mortality_lstm.stack, losses(), data, validation, accuracy,
        Recipe(16, epochs, 0.01, 1.5), 7, state,
    )  # fmt: skip


def equal(found, expected):
    return all(
        told == other and all(torch.equal(weights[name], wanted[name]) for name in wanted)
        for (weights, told), (wanted, other) in zip(found, expected, strict=True)
    )


def test_an_interrupted_stack_ends_with_the_same_bytes(tmp_path):
    whole = stacked(tmp_path / "a", 4)
    stacked(tmp_path / "b", 2)
    assert equal(stacked(tmp_path / "b", 4), whole)


@pytest.mark.parametrize("word", [b"history", b"seconds", b"model.", None])
def test_a_flipped_bit_in_the_state_of_a_stack_starts_over(tmp_path, capsys, word):
    whole = stacked(tmp_path / "a", 3)
    stacked(tmp_path / "b", 2)
    flip(tmp_path / "b", word)
    assert equal(stacked(tmp_path / "b", 3), whole)
    assert "starting over" in capsys.readouterr().err


def test_a_setting_whose_loss_is_not_finite_is_named(tmp_path):
    data, validation = stays(torch.float32)
    data.values[:] = torch.nan
    with pytest.raises(UserError, match="epoch 1 at scr_weight 0.0"):
        train_stack(
            builder(torch.float32), mortality_lstm.stack, losses(), data, validation, accuracy,
            Recipe(16, 1, 0.01, 1.5), 7, tmp_path / "s",
        )  # fmt: skip


def test_a_search_may_train_stacked_with_the_same_records(tmp_path):
    settings = [Setting(0.0, 0), Setting(0.1, 0), Setting(3.0, 0), Setting(0.0, 1)]

    def search(mode):
        return train_settings(
            toy_cohort(),
            MODEL,
            {"kind": "cbce"},
            settings,
            RECIPE,
            Selection("mortality", "auroc", "validation"),
            preset="clean",
            seed_parts=("toy",),
            device="cpu",
            state=tmp_path / mode,
            stacked=mode,
        )

    (records, weights), (expected, single) = search("always"), search("never")
    assert (
        not list((tmp_path / "always").glob("*.resume")) and len(list((tmp_path / "always").iterdir())) == 4
    )
    for record, told in zip(records, expected, strict=True):
        keys = ("scr_weight", "init", "parameters", "epoch")
        assert [record[key] for key in keys] == [told[key] for key in keys]
        assert record["score"] == pytest.approx(told["score"])
    assert distance(weights, single) < 1e-4
    assert search("always")[0] == records  # nothing is trained again
