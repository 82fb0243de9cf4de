"""Batches and stays that broke others' losses and models."""

import pytest
import torch

from clinbench import plugins
from clinbench.risk.losses.supervised import SupervisedContrastiveLoss
from clinbench.risk.stays import Stays
from clinbench.risk.train import step

KINDS = plugins.names("risk.models")
CONTRASTS = ["bce", "cbce", "csce"]


def build(kind, outputs=1, labels=None):
    torch.manual_seed(0)
    return plugins.load("risk.models", kind).build(5, 0, labels, outputs)


@pytest.mark.parametrize("contrast", CONTRASTS)
def test_labels_without_a_pair_of_positives_cost_nothing_and_keep_the_graph(contrast):
    torch.manual_seed(0)
    labels = torch.eye(4)  # of four labels, each has one positive
    z = torch.randn(4, 3, requires_grad=True)
    logits = torch.zeros(4, 4, *([] if contrast == "bce" else [2]), requires_grad=True)
    with_it, without = (
        SupervisedContrastiveLoss(contrast, weight, preset="reference") for weight in (1.0, 0.0)
    )
    value = with_it(logits, z, labels)
    value.backward()
    assert value.isfinite() and logits.grad.isfinite().all()
    assert value.item() == pytest.approx(without(logits, z, labels).item())
    assert z.grad is None or not z.grad.any()


@pytest.mark.parametrize("contrast", CONTRASTS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_last_batch_of_one_stay_trains(kind, contrast):
    loss = SupervisedContrastiveLoss(contrast, 0.1)
    model = build(kind, loss.outputs)
    stays = Stays(torch.randn(3, 5), torch.tensor([0, 3]), torch.zeros(1, 0), torch.ones(1))
    before = [parameter.clone() for parameter in model.parameters()]
    optimiser = torch.optim.Adam(model.parameters())
    assert step(model.train(), loss, optimiser, stays, torch.tensor([0]), 1.5).isfinite()
    after = list(model.parameters())
    assert all(parameter.isfinite().all() for parameter in after)
    assert any(not torch.equal(one, other) for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_a_stay_of_zeros_is_not_taken_for_padding(kind):
    model = build(kind).eval()
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)  # biases, so that an hour of zeros does something
    series, lengths = torch.zeros(2, 6, 5), torch.tensor([6, 2])
    series[1, 2:] = 7.0  # beyond its length: nobody's business
    with torch.no_grad():
        together = model(series, lengths)[1]
        alone = torch.cat([model(series[i : i + 1, :n], lengths[i : i + 1])[1] for i, n in enumerate((6, 2))])
    assert together.isfinite().all()
    assert torch.allclose(together, alone, atol=1e-6)
    assert not torch.allclose(together[0], together[1], atol=1e-4)  # six hours of zeros are not two
