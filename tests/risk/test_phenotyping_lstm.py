"""Phenotyping LSTM: counts, equality with packed sequences, dropout."""

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence

from clinbench.risk.models.layers import Dropout, last_states, lstm, parameter_count
from clinbench.risk.models.phenotyping_lstm import PhenotypingLSTM


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


@pytest.mark.parametrize(("outputs", "count"), [(1, 348441), (2, 354866)])
def test_parameter_counts(outputs, count):
    assert parameter_count(PhenotypingLSTM(76, 0, 25, outputs)) == count


def test_one_label():
    logits, embeddings, _ = PhenotypingLSTM(4, hidden=8)(torch.randn(3, 5, 4), torch.tensor([5, 1, 3]))
    assert logits.shape == (3,)
    assert embeddings.shape == (3, 8)


@pytest.mark.parametrize("lengths", [[7], [3, 3, 3], [2, 9, 1, 9, 5, 5, 1], [1, 1, 12]])
def test_equals_packed_sequences_in_value_and_gradient(lengths):
    lengths = torch.tensor(lengths)
    series = torch.randn(len(lengths), 12, 4)
    layer = lstm(4, 8)
    packed = pack_padded_sequence(series, lengths, batch_first=True, enforce_sorted=False)
    results = []
    for last in (last_states(layer, series, lengths, torch.nn.Identity()), layer(packed)[1][0][0]):
        layer.zero_grad()
        last.square().sum().backward()
        results.append([last, *(parameter.grad.clone() for parameter in layer.parameters())])
    for ours, theirs in zip(*results, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6)


def test_padding_costs_few_steps(monkeypatch):
    lengths = torch.tensor([1000, *[10] * 63])
    layer, done = lstm(1, 2), []
    layer.register_forward_pre_hook(lambda _, args: done.append(args[0].shape[0] * args[0].shape[1]))
    last_states(layer, torch.randn(64, 1000, 1), lengths, torch.nn.Identity())
    assert sum(done) == lengths.sum()


def test_gradients_are_finite():
    model = PhenotypingLSTM(4, 0, 3)
    model(torch.randn(5, 6, 4), torch.tensor([6, 1, 2, 6, 3])).logits.sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_dropout_drops_the_share_and_keeps_the_mean(p):
    ones = torch.ones(1001, 103, requires_grad=True)
    dropped = Dropout(p)(ones)
    kept = dropped > 0
    assert kept.float().mean().item() == pytest.approx(1 - p, abs=0.01)
    assert dropped.detach()[kept].unique().tolist() == pytest.approx([1 / (1 - p)], rel=1e-4)
    dropped.sum().backward()
    assert torch.equal(ones.grad, dropped)
    assert torch.equal(Dropout(p).eval()(ones), ones) and torch.equal(Dropout(0.0)(ones), ones)
