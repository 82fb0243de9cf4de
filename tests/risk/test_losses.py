"""Losses against golden values, naive loops, identities and bad arguments."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clinbench.errors import UserError
from clinbench.risk.losses.bce import bce
from clinbench.risk.losses.cbce import cbce
from clinbench.risk.losses.cbce import probability as cbce_probability
from clinbench.risk.losses.csce import anchors as csce_anchors
from clinbench.risk.losses.csce import csce
from clinbench.risk.losses.csce import probability as csce_probability
from clinbench.risk.losses.scr import scr, scr_per_class
from clinbench.risk.losses.supervised import SupervisedContrastiveLoss

F64 = torch.float64
Z = torch.tensor([[1, 0], [0, 1], [-1, 0], [0.6, 0.8], [-0.6, 0.8]], dtype=F64)
Y = torch.tensor([1, 1, 0, 0, 0], dtype=F64)
MULTI = torch.tensor([[1, 1, 0, 0, 0], [0, 1, 1, 0, 1], [1, 0, 0, 0, 1]], dtype=F64).T
A = torch.tensor([2, -1, 0.5, 0, -3], dtype=F64)
D = torch.tensor([-1, 0.5, 0.25, 1, 2], dtype=F64)
PAIR = torch.stack([D, A], dim=-1)


def naive_scr(z, y, temperature=0.1):
    """The formula of the paper, sample by sample; an anchor without partner adds nothing."""
    z = [row / row.norm() if row.norm() > 0 else row for row in z]
    n, total = len(z), 0.0
    for i in range(n):
        partners = [j for j in range(n) if j != i and y[j] == y[i]]
        if not partners:
            continue
        bottom = sum(math.exp(z[i] @ z[k] / temperature) for k in range(n) if k != i)
        logs = [math.log(math.exp(z[i] @ z[j] / temperature) / bottom) for j in partners]
        total -= sum(logs) / len(partners)
    return total / n


def test_scr_golden_values():
    assert scr(Z, Y).item() == pytest.approx(6.832399666752215, abs=1e-12)
    per_class, skipped = scr_per_class(Z, MULTI)
    assert per_class.tolist() == pytest.approx([6.832399666752215, 2.192399666752215, 9.392399666752215])
    assert scr(Z, MULTI).item() == pytest.approx(6.139066333418882, abs=1e-12)
    assert skipped.tolist() == [0, 0, 0]


def test_classification_golden_values():
    assert bce(A, Z, Y).item() == pytest.approx(0.6312002429749979, abs=1e-12)
    assert cbce(PAIR, Z, Y).item() == pytest.approx(1.0918938010026715, abs=1e-12)
    assert csce(PAIR, Z, Y).item() == pytest.approx(0.5791834170885356, abs=1e-12)
    expected = [0.7660847, 0.3017065, 0.5254436, 0.4061545, 0.0510932]
    assert cbce_probability(PAIR).tolist() == pytest.approx(expected, abs=1e-7)
    expected = [0.9525741, 0.1824255, 0.5621765, 0.2689414, 0.0066929]
    assert csce_probability(PAIR).tolist() == pytest.approx(expected, abs=1e-7)


def test_reference_preset_golden_values():
    loss = SupervisedContrastiveLoss("bce", 1.0, preset="reference")
    assert (loss(A, Z, Y) - bce(A, Z, Y)).item() == pytest.approx(9.760570952503164, abs=1e-12)
    loss = SupervisedContrastiveLoss("cbce", preset="reference")
    assert loss(PAIR, Z, Y).item() == pytest.approx(0.5459469005013358, abs=1e-12)


def test_identities():
    assert csce(PAIR, Z, Y).item() == pytest.approx(bce(A - D, Z, Y).item())
    assert cbce(PAIR, Z, Y).item() == pytest.approx((bce(A, Z, Y) + bce(D, Z, 1 - Y)).item())
    posterior = torch.sigmoid(A) * torch.sigmoid(-D)
    posterior = posterior / (posterior + torch.sigmoid(D) * torch.sigmoid(-A))
    assert torch.allclose(cbce_probability(PAIR, "posterior"), posterior)
    decided = cbce_probability(PAIR, "posterior") > 0.5
    assert torch.equal(cbce_probability(PAIR) > 0.5, decided)
    assert torch.allclose(csce(PAIR, Z, Y), csce(PAIR.flip(-1), Z, 1 - Y))


def test_collapsed_and_perfect_embeddings():
    labels = torch.tensor([1.0] * 4 + [0.0] * 8, dtype=F64)
    assert scr(torch.ones(12, 3, dtype=F64), labels).item() == pytest.approx(math.log(11))
    clusters = torch.where(labels[:, None] > 0, 1.0, -1.0) * torch.ones(12, 3, dtype=F64)
    expected = (4 * math.log(3) + 8 * math.log(7)) / 12
    assert scr(clusters, labels).item() == pytest.approx(expected, abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 9), classes=st.integers(1, 4), seed=st.integers(0, 999))
def test_scr_equals_naive_loop(n, classes, seed):
    generator = torch.Generator().manual_seed(seed)
    z = torch.randn(n, 3, generator=generator, dtype=F64)
    y = (torch.rand(n, classes, generator=generator) < 0.4).to(F64)
    expected = sum(naive_scr(z, column) for column in y.T) / classes
    assert scr(z, y).item() == pytest.approx(expected, abs=1e-9)
    shuffled = torch.randperm(n, generator=generator)
    assert scr(z[shuffled], y[shuffled]).item() == pytest.approx(expected, abs=1e-9)
    assert scr(z * 7.5, y).item() == pytest.approx(expected, abs=1e-9)
    assert scr(z, 1 - y).item() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("contrast", ["bce", "cbce", "csce"])
def test_gradients(contrast):
    loss = SupervisedContrastiveLoss(contrast, 0.5)
    shape = (5,) if contrast == "bce" else (5, 2)
    logits = torch.randn(shape, dtype=F64, requires_grad=True)
    z = torch.randn(5, 3, dtype=F64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a, b: loss(a, b, Y), (logits, z))


@pytest.mark.parametrize(
    ("z", "labels"),
    [
        (torch.zeros(4, 3), torch.tensor([1.0, 0, 0, 1])),
        (torch.randn(4, 3), torch.zeros(4)),
        (torch.randn(4, 3), torch.ones(4)),
        (torch.randn(4, 3), torch.tensor([1.0, 0, 0, 0])),
        (torch.randn(1, 3), torch.ones(1)),
        (torch.full((4, 3), 1e30), torch.tensor([1.0, 0, 0, 1])),
    ],
    ids=["zeros", "no positive", "all positive", "one positive", "batch of one", "huge"],
)
@pytest.mark.parametrize("preset", ["clean", "paper", "reference"])
def test_odd_batches_stay_finite(z, labels, preset):
    z = z.clone().requires_grad_()
    loss = SupervisedContrastiveLoss("bce", 1.0, preset=preset)
    value = loss(z.sum(1) * 1e-30, z, labels)
    value.backward()
    assert value.isfinite()
    assert z.grad.isfinite().all()


def test_single_positive_is_skipped_and_counted():
    loss = SupervisedContrastiveLoss("bce", 1.0)
    loss(A, Z, torch.tensor([1.0, 0, 0, 0, 0]))
    assert loss.skipped_anchors == 1
    with pytest.raises(UserError, match="no partner"):
        SupervisedContrastiveLoss("bce", 1.0, singleton="error")(A, Z, torch.tensor([1.0, 0, 0, 0, 0]))


def test_reference_gate_drops_the_regulariser():
    gated = SupervisedContrastiveLoss("bce", 1.0, preset="reference")
    labels = torch.tensor([1.0, 0, 0, 0, 0], dtype=F64)
    assert gated(A, Z, labels).item() == pytest.approx(bce(A, Z, labels).item())
    labels = torch.stack([labels, Y], dim=1)
    value = gated(A[:, None].expand(5, 2), Z, labels) - bce(A[:, None].expand(5, 2), Z, labels)
    assert value.item() == pytest.approx(9.760570952503164, abs=1e-12)


def test_autocast_keeps_float32():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = scr(torch.randn(8, 4).bfloat16(), torch.tensor([1.0, 0] * 4), temperature=0.01)
    assert value.dtype == torch.float32
    assert value.isfinite()


def test_extreme_logits_have_a_probability():
    logits = torch.tensor([[-200.0, -200.0], [-200.0, 300.0]])
    assert cbce_probability(logits).tolist() == pytest.approx([0.5, 1.0])


def test_csce_anchors_ignore_a_common_shift():
    weight = torch.randn(2, 4)
    assert torch.allclose(csce_anchors(weight), csce_anchors(weight + 3), atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"temperature": 0}, "temperature"),
        ({"temperature": -1.0}, "temperature"),
        ({"scr_weight": -0.1}, "scr_weight"),
        ({"scr_weight": math.nan}, "scr_weight"),
        ({"preset": "papre"}, "preset"),
        ({"singleton": "drop"}, "singleton"),
        ({"proba": "bayes"}, "proba"),
        ({"contrast": "bec"}, "bec"),
        ({"contrast": "cbce", "cbce_scale": -1}, "cbce_scale"),
    ],
)
def test_bad_arguments_are_named(arguments, name):
    with pytest.raises(UserError, match=name):
        SupervisedContrastiveLoss(**arguments)


def test_bad_shapes_are_named():
    loss = SupervisedContrastiveLoss("csce")
    with pytest.raises(UserError, match="logits"):
        loss(A, Z, Y)
    with pytest.raises(UserError, match="embeddings"):
        loss(PAIR, Z[:3], Y)
    with pytest.raises(UserError, match="labels"):
        loss(PAIR, Z, Y * 2)
