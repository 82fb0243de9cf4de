"""ConCare: counts, equality with one module a channel, padding, DeCov, layers that take no part."""

import pytest
import torch
from benchmarks.literal_concare import LiteralConCare, as_batched

from clinbench.defaults import with_defaults
from clinbench.errors import UserError
from clinbench.risk.models import channels, concare
from clinbench.risk.models.attention import decov
from clinbench.risk.models.concare import ConCare
from clinbench.risk.models.layers import parameter_count
from clinbench.risk.models.recurrence import recur

N, T, F, S = 6, 9, 5, 3


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def inputs(n: int = N) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.randn(n, T, F), torch.randint(1, T + 1, (n,)), torch.randn(n, S)


@pytest.mark.parametrize(("outputs", "live", "total"), [(1, 320077, 322673), (2, 320110, 322706)])
def test_parameter_counts(outputs, live, total):
    assert parameter_count(ConCare(76, 12, None, outputs)) == live
    assert parameter_count(ConCare(76, 12, None, outputs, unused_layers=True)) == total


@pytest.mark.parametrize("cached", [1, 2 * N * 32, 2**30])
def test_equals_one_module_a_channel_in_value_and_gradient(cached, monkeypatch):
    monkeypatch.setattr(channels, "CACHED", cached)  # one, two and all channels a block
    ours, theirs = ConCare(F, S, decov_weight=10).eval(), LiteralConCare(F, S).eval()
    ours.load_state_dict(as_batched(theirs))
    series, _, statics = inputs()
    mine = ours(series, torch.full((N,), T), statics)
    logits, embeddings, penalty = theirs(series, statics)
    for value, other in zip(mine, (logits, embeddings, 10 * penalty), strict=True):
        assert torch.allclose(value, other, atol=1e-6)
    (mine.logits.square().sum() + mine.penalty).backward()
    (logits.square().sum() + 10 * penalty).backward()
    gradients = as_batched(theirs, lambda parameter: parameter.grad)
    assert gradients.keys() == dict(ours.named_parameters()).keys()
    for name, parameter in ours.named_parameters():
        assert torch.allclose(parameter.grad, gradients[name], atol=1e-5), name


def test_recurrence_is_a_gru_a_channel_with_true_gradients():
    def draw(*shape):
        return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

    lengths = torch.tensor([3, 2])
    series, readout = draw(3, 2, 2), draw(2, 2, 3)
    weights = draw(2, 9), draw(2, 9, 3), draw(2, 9), draw(2, 9)
    states, last, projected = recur(series, lengths, *weights, readout)
    for channel in range(2):
        gru = torch.nn.GRU(1, 3).double()
        gru.load_state_dict(
            {
                name: weight[channel].detach().view_as(getattr(gru, name))
                for name, weight in zip(gru.state_dict(), weights, strict=True)
            }
        )
        expected = gru(series[:, channel, :, None])[0].transpose(1, 2)  # (T, H, N)
        assert torch.allclose(states[:, channel], expected)
        assert torch.allclose(projected[:, channel], readout[channel] @ expected)
        assert torch.equal(last[channel, :, 1], states[1, channel, :, 1])
    assert torch.autograd.gradcheck(
        lambda *args: recur(args[0], lengths, *args[1:]), (series, *weights, readout)
    )


@pytest.mark.parametrize(("features", "statics", "labels"), [(1, 0, None), (3, 1, None), (40, 2, 25)])
def test_any_channels_and_statics(features, statics, labels):
    model = ConCare(features, statics, labels, 2)
    logits, embeddings, penalty = model(
        torch.randn(4, 3, features), torch.tensor([3, 1, 2, 3]), torch.randn(4, statics)
    )
    assert logits.shape == ((4, labels, 2) if labels else (4, 2))
    assert embeddings.shape == (4, 32)
    (logits.sum() + penalty).backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


def test_neither_padding_nor_company_changes_a_stay():
    model = ConCare(F, S).eval()
    series, lengths, statics = inputs()
    longer = torch.cat([series, torch.randn(N, 4, F)], 1)
    order = torch.randperm(N)
    with torch.no_grad():
        expected = model(series, lengths, statics)
        padded = model(longer, lengths, statics)
        mixed = model(series[order], lengths[order], statics[order])
        alone = [
            model(series[i : i + 1, :n], lengths[i : i + 1], statics[i : i + 1])
            for i, n in enumerate(lengths)
        ]
    assert torch.allclose(padded.embeddings, expected.embeddings, atol=1e-6)
    assert torch.allclose(padded.penalty, expected.penalty)
    assert torch.allclose(mixed.embeddings, expected.embeddings[order], atol=1e-6)
    assert torch.allclose(torch.cat([one.embeddings for one in alone]), expected.embeddings, atol=1e-6)


def test_padding_receives_no_gradient():
    series, lengths, statics = inputs()
    series.requires_grad_()
    ConCare(F, S).eval()(series, lengths, statics).logits.sum().backward()
    padding = torch.arange(T) >= lengths[:, None]
    assert series.grad[padding].abs().max() == 0
    assert (series.grad[~padding].abs().sum(1) > 0).all()


def test_decov_by_hand():
    # Token 0: variances 2, 8, covariance 4; token 1: covariance 0.
    contexts = torch.tensor([[[0.0, 0.0], [1.0, 5.0]], [[2.0, 4.0], [1.0, 7.0]]])
    assert decov(contexts).item() == 16
    assert decov(contexts[:, 1:]).item() == 0


def test_batch_of_one_has_no_penalty():
    model = ConCare(F, S)
    output = model(*inputs(1))
    assert output.penalty.item() == 0
    (output.logits.sum() + output.penalty).backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


def test_penalty_is_weighted_and_takes_the_first_tokens():
    model = ConCare(F, S, decov_weight=1.0).eval()
    batch = inputs()
    penalties = []
    for count in (1, 2, F, F + 1, None):
        model.decov_tokens = count
        penalties.append(model(*batch).penalty.item())
    assert 0 < penalties[0] < penalties[1] < penalties[2] < penalties[3] == penalties[4]
    model.decov_weight = 1000.0
    assert model(*batch).penalty.item() == pytest.approx(1000 * penalties[4])


def test_unused_layers_learn_nothing_and_change_nothing():
    plain, full = ConCare(F, S).eval(), ConCare(F, S, unused_layers=True).eval()
    full.load_state_dict(plain.state_dict(), strict=False)
    batch = inputs()
    output = full(*batch)
    assert torch.equal(output.embeddings, plain(*batch).embeddings)
    (output.logits.sum() + output.penalty).backward()
    idle = {name for name, parameter in full.named_parameters() if parameter.grad is None}
    assert idle == {name for name, _ in full.named_parameters() if name.startswith("unused.")}
    assert idle


def test_unused_layers_come_after_the_start_values():
    states = []
    for unused in (False, True):
        torch.manual_seed(0)
        states.append(ConCare(F, S, unused_layers=unused).state_dict())
    assert all(torch.equal(tensor, states[1][name]) for name, tensor in states[0].items())


def test_presets():
    options = {
        preset: with_defaults(concare.OPTIONS, {}, preset) for preset in ("clean", "paper", "reference")
    }
    assert [options[preset]["dropout"] for preset in options] == [0.5, 0.3, 0.5]
    assert [options[preset]["decov_tokens"] for preset in options] == [None, None, 33]
    assert [options[preset]["unused_layers"] for preset in options] == [False, False, True]


def test_width_must_suit_the_heads():
    with pytest.raises(UserError, match="hidden: 30 is no multiple of heads: 4"):
        ConCare(F, hidden=30)


def test_memory_that_was_used_before_leaves_no_trace(monkeypatch):
    series, lengths, statics = inputs()
    model = ConCare(F, S).eval()
    expected = model(series, lengths, statics).embeddings
    empty = torch.Tensor.new_empty
    monkeypatch.setattr(torch.Tensor, "new_empty", lambda *of, **kind: empty(*of, **kind).fill_(torch.nan))
    output = model(series, lengths, statics)
    assert torch.equal(output.embeddings, expected)
    output.embeddings.sum().backward()
    assert all(
        parameter.grad.isfinite().all() for parameter in model.parameters() if parameter.grad is not None
    )
