"""Models: parameter counts, padding, start values, shapes of logits."""

import pytest
import torch

from clinbench import plugins
from clinbench.risk.models.layers import Dropout, parameter_count, reversed_steps
from clinbench.risk.models.mortality_lstm import MortalityLSTM


@pytest.mark.parametrize(("outputs", "count"), [(1, 7697), (2, 7714)])
def test_mortality_lstm_parameter_count(outputs, count):
    assert parameter_count(MortalityLSTM(76, outputs=outputs)) == count


@pytest.mark.parametrize("kind", plugins.names("risk.models"))
def test_padding_changes_nothing(kind):
    model = plugins.load("risk.models", kind).build(5, 0, None, 1).eval()
    lengths = torch.tensor([3, 7, 1])
    series = torch.randn(3, 7, 5)
    padded = torch.cat([series, torch.randn(3, 4, 5)], dim=1)
    with torch.no_grad():
        short = [model(series[i : i + 1, :n], lengths[i : i + 1])[1] for i, n in enumerate(lengths)]
        assert torch.allclose(model(series, lengths)[1], torch.cat(short), atol=1e-6)
        assert torch.allclose(model(padded, lengths)[1], torch.cat(short), atol=1e-6)


def test_equals_a_bidirectional_lstm_for_equal_lengths():
    model = MortalityLSTM(5, hidden=8).eval()
    both = torch.nn.LSTM(5, 4, batch_first=True, bidirectional=True)
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    with torch.no_grad():
        for name in names:
            getattr(both, name).copy_(getattr(model.forward_lstm, name))
            getattr(both, f"{name}_reverse").copy_(getattr(model.backward_lstm, name))
        series = torch.randn(2, 6, 5)
        steps, _ = model.lstm(both(series)[0])
        assert torch.allclose(model(series, torch.tensor([6, 6]))[1], steps[:, -1], atol=1e-6)


def test_reversed_steps_keeps_padding_at_the_end():
    series = torch.arange(4.0).reshape(1, 4, 1)
    assert reversed_steps(series, torch.tensor([3])).flatten().tolist() == [2, 1, 0, 3]


def test_start_values():
    model = MortalityLSTM(76)
    assert model.head.bias.item() == 0
    assert model.lstm.bias_ih_l0.abs().sum() == 0
    weight = model.lstm.weight_hh_l0
    assert torch.allclose(weight.T @ weight, torch.eye(16), atol=1e-5)


@pytest.mark.parametrize(
    ("labels", "outputs", "shape"), [(None, 1, (2,)), (None, 2, (2, 2)), (3, 1, (2, 3)), (3, 2, (2, 3, 2))]
)
def test_logit_shapes(labels, outputs, shape):
    model = MortalityLSTM(5, 0, labels, outputs)
    logits, embeddings, _ = model(torch.randn(2, 4, 5), torch.tensor([4, 2]))
    assert logits.shape == shape
    assert embeddings.shape == (2, 16)


def test_dropout_with_a_probability_too_small_to_draw_keeps_everything():
    ones = torch.ones(1000)
    assert torch.equal(Dropout(1e-6).train()(ones), ones) or Dropout(1e-6).train()(ones).mean() > 0.99
