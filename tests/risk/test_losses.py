"""Classification losses and their sum with the regulariser: golden values, identities, presets."""

import copy
import doctest
import importlib
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from clinbench.errors import UserError
from clinbench.risk.losses import SupervisedContrastiveLoss, bce, cbce, csce, scr
from clinbench.risk.losses.cbce import probability as cbce_probability
from clinbench.risk.losses.csce import anchors as csce_anchors
from clinbench.risk.losses.csce import probability as csce_probability

F64 = torch.float64
Z = torch.tensor([[1, 0], [0, 1], [-1, 0], [0.6, 0.8], [-0.6, 0.8]], dtype=F64)
Y = torch.tensor([1, 1, 0, 0, 0], dtype=F64)
A = torch.tensor([2, -1, 0.5, 0, -3], dtype=F64)
D = torch.tensor([-1, 0.5, 0.25, 1, 2], dtype=F64)
PAIR = torch.stack([D, A], dim=-1)
CONTRASTS = {"bce": bce, "cbce": cbce, "csce": csce}
LONE = torch.tensor([1.0, 0, 0, 0, 0], dtype=F64)  # one positive, so an anchor without partner


@st.composite
def batches(draw):
    """Logits (N, C, 2) of any size and labels (N, C)."""
    generator = torch.Generator().manual_seed(draw(st.integers(0, 9999)))
    shape = (draw(st.integers(1, 6)), draw(st.integers(1, 4)))
    logits = torch.randn(*shape, 2, generator=generator, dtype=F64) * draw(st.sampled_from([0.1, 3, 300]))
    return logits, torch.randint(0, 2, shape, generator=generator)


def test_classification_golden_values():
    assert bce(A, Y).item() == pytest.approx(0.6312002429749979, abs=1e-12)
    assert cbce(PAIR, Y).item() == pytest.approx(1.0918938010026715, abs=1e-12)
    assert csce(PAIR, Y).item() == pytest.approx(0.5791834170885356, abs=1e-12)
    expected = [0.7660847, 0.3017065, 0.5254436, 0.4061545, 0.0510932]
    assert cbce_probability(PAIR).tolist() == pytest.approx(expected, abs=1e-7)
    expected = [0.9525741, 0.1824255, 0.5621765, 0.2689414, 0.0066929]
    assert csce_probability(PAIR).tolist() == pytest.approx(expected, abs=1e-7)


def test_reference_preset_golden_values():
    loss = SupervisedContrastiveLoss("bce", 1.0, preset="reference")
    assert (loss(A, Z, Y) - bce(A, Y)).item() == pytest.approx(9.760570952503164, abs=1e-12)
    loss = SupervisedContrastiveLoss("cbce", preset="reference")
    assert loss(PAIR, Z, Y).item() == pytest.approx(0.5459469005013358, abs=1e-12)


@pytest.mark.parametrize("kind", CONTRASTS)
def test_documented_examples(kind):
    module = importlib.import_module(f"clinbench.risk.losses.{kind}")
    assert doctest.testmod(module).failed == 0
    assert (1 if kind == "bce" else 2) == module.OUTPUTS


@settings(max_examples=50, deadline=None)
@given(batches())
def test_identities(batch):
    logits, labels = batch
    d, a = logits.unbind(-1)
    assert csce(logits, labels).item() == pytest.approx(bce(a - d, labels).item(), abs=1e-12)
    softmax = F.cross_entropy(logits.reshape(-1, 2), labels.reshape(-1))
    assert csce(logits, labels).item() == pytest.approx(softmax.item(), abs=1e-12)
    assert cbce(logits, labels).item() == pytest.approx((bce(a, labels) + bce(d, 1 - labels)).item())
    # Swapping the anchors and the labels changes nothing; nor does a shift of both logits in CSCE.
    assert csce(logits.flip(-1), 1 - labels).item() == pytest.approx(csce(logits, labels).item())
    assert cbce(logits.flip(-1), 1 - labels).item() == pytest.approx(cbce(logits, labels).item())
    assert bce(-a, 1 - labels).item() == pytest.approx(bce(a, labels).item())
    assert csce(logits + 1.5, labels).item() == pytest.approx(csce(logits, labels).item(), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(batches())
def test_probabilities_decide_alike_and_posterior_is_the_normalised_product(batch):
    d, a = (batch[0] / 300).unbind(-1)
    paper, posterior = (cbce_probability(torch.stack([d, a], -1), name) for name in ("paper", "posterior"))
    assert torch.allclose(paper, a.sigmoid() / (a.sigmoid() + d.sigmoid()))
    yes, no = a.sigmoid() * (-d).sigmoid(), d.sigmoid() * (-a).sigmoid()
    assert torch.allclose(posterior, yes / (yes + no))
    assert torch.equal(paper > 0.5, posterior > 0.5)


def test_posterior_ranks_otherwise():
    # Equal a − d = 1, but the paper's formula sees less in two confident anchors.
    logits = torch.tensor([[0.0, 1.0], [4.0, 5.0]])
    assert cbce_probability(logits, "posterior").tolist() == pytest.approx([0.7310586] * 2)
    assert cbce_probability(logits, "paper").tolist() == pytest.approx([0.5938455, 0.5028587], abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(batches(), st.sampled_from([*CONTRASTS]))
def test_multi_label_loss_is_the_mean_over_classes(batch, contrast):
    logits, labels = batch
    logits = logits[..., 0] if contrast == "bce" else logits
    z = torch.randn(len(labels), 3, dtype=F64)
    loss = SupervisedContrastiveLoss(contrast, 0.3, temperature=0.2)
    expected = [
        CONTRASTS[contrast](logits[:, c], labels[:, c]) + 0.3 * scr(z, labels[:, c], 0.2)
        for c in range(labels.shape[1])
    ]
    assert loss(logits, z, labels).item() == pytest.approx(torch.stack(expected).mean().item())


def test_without_scr_it_is_a_drop_in_for_bce_with_logits():
    logits, labels = torch.randn(7, 3), torch.randint(0, 2, (7, 3)).float()
    ours = SupervisedContrastiveLoss()(logits, torch.randn(7, 2), labels)
    assert torch.equal(ours, torch.nn.BCEWithLogitsLoss()(logits, labels))


@pytest.mark.parametrize("contrast", CONTRASTS)
@pytest.mark.parametrize("classes", [None, 3])
def test_gradients(contrast, classes):
    loss = SupervisedContrastiveLoss(contrast, 0.5)
    labels = Y if classes is None else torch.stack([Y, 1 - Y, LONE], dim=1)
    shape = labels.shape if contrast == "bce" else (*labels.shape, 2)
    logits = torch.randn(shape, dtype=F64, requires_grad=True)
    z = torch.randn(5, 3, dtype=F64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a, b: loss(a, b, labels), (logits, z))


@pytest.mark.parametrize(
    ("switch", "expected"),
    [
        ({"scr_scale": 2.0}, (2.0, 1.0, "skip_anchor", "paper")),
        ({"cbce_scale": 0.25}, (1.0, 0.25, "skip_anchor", "paper")),
        ({"singleton": "error"}, (1.0, 1.0, "error", "paper")),
        ({"proba": "posterior"}, (1.0, 1.0, "skip_anchor", "posterior")),
        ({"preset": "paper"}, (1.0, 1.0, "skip_anchor", "paper")),
        ({"preset": "reference"}, (0.1 / 0.07, 0.5, "skip_batch", "paper")),
        ({"preset": "reference", "temperature": 0.2}, (0.2 / 0.07, 0.5, "skip_batch", "paper")),
        ({"preset": "reference", "scr_scale": 1, "cbce_scale": 1}, (1.0, 1.0, "skip_batch", "paper")),
        ({"preset": "reference", "singleton": "skip_anchor"}, (0.1 / 0.07, 0.5, "skip_anchor", "paper")),
    ],
)
def test_each_switch_can_be_set_alone(switch, expected):
    loss = SupervisedContrastiveLoss("cbce", 0.5, **switch)
    assert (loss.scr_scale, loss.scale, loss.singleton, loss.proba) == expected
    value = loss.scale * cbce(PAIR, Y) + 0.5 * loss.scr_scale * scr(Z, Y, loss.temperature)
    assert loss(PAIR, Z, Y).item() == pytest.approx(value.item())
    assert torch.equal(loss.probability(PAIR), cbce_probability(PAIR, loss.proba))


def test_single_positive_is_skipped_and_counted():
    loss = SupervisedContrastiveLoss("bce", 1.0)
    loss(A, Z, LONE)
    assert loss.skipped_anchors == 1
    loss(A[:, None].expand(5, 3), Z, torch.stack([LONE, Y, 1 - LONE], dim=1))
    assert loss.skipped_anchors == 3
    with pytest.raises(UserError, match="no partner"):
        SupervisedContrastiveLoss("bce", 1.0, singleton="error")(A, Z, LONE)


def test_reference_gate_drops_the_regulariser():
    gated = SupervisedContrastiveLoss("bce", 1.0, preset="reference")
    assert gated(A, Z, LONE).item() == pytest.approx(bce(A, LONE).item())
    labels = torch.stack([LONE, Y], dim=1)  # the gated class leaves the mean
    value = gated(A[:, None].expand(5, 2), Z, labels) - bce(A[:, None].expand(5, 2), labels)
    assert value.item() == pytest.approx(9.760570952503164, abs=1e-12)


def test_extreme_logits_have_a_loss_and_a_probability():
    logits = torch.tensor([[-200.0, -200.0], [-200.0, 300.0]], requires_grad=True)
    assert cbce_probability(logits).tolist() == pytest.approx([0.5, 1.0])
    for loss in (cbce, csce):
        value = loss(logits, torch.tensor([1, 0]))
        value.backward()
        assert value.isfinite() and logits.grad.isfinite().all()


def test_half_precision_logits_are_computed_in_float32():
    half = PAIR.bfloat16()
    for loss, logits in ((bce, half[:, 0]), (cbce, half), (csce, half)):
        value = loss(logits, Y)
        assert value.dtype == torch.float32
        assert value.item() == pytest.approx(loss(logits.double(), Y).item(), abs=1e-6)


def test_csce_anchors_ignore_a_common_shift():
    weight = torch.randn(2, 4)
    assert torch.allclose(csce_anchors(weight), csce_anchors(weight + 3), atol=1e-6)


def test_the_module_can_be_copied_and_printed():
    loss = SupervisedContrastiveLoss("csce", 0.5)
    twin = copy.deepcopy(loss)
    assert twin(PAIR, Z, Y) == loss(PAIR, Z, Y)
    assert math.isclose(twin.scr_weight, 0.5)
    assert "csce, scr_weight=0.5" in repr(loss)
