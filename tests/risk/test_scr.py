"""The regulariser against its formula, its gradient, and batches that break naive versions."""

import doctest
import importlib
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clinbench.risk.losses import SupervisedContrastiveLoss, scr
from clinbench.risk.losses.scr import scr_per_class

F64 = torch.float64
Z = torch.tensor([[1, 0], [0, 1], [-1, 0], [0.6, 0.8], [-0.6, 0.8]], dtype=F64)
Y = torch.tensor([1, 1, 0, 0, 0], dtype=F64)
MULTI = torch.tensor([[1, 1, 0, 0, 0], [0, 1, 1, 0, 1], [1, 0, 0, 0, 1]], dtype=F64).T
# Both labels, one positive, one negative, none, all.
KINDS = torch.tensor([[1, 1, 0, 0, 1], [1, 0, 0, 0, 0], [0, 1, 1, 1, 1], [0] * 5, [1] * 5], dtype=F64).T


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


def gradient(z, labels, temperature=0.1):
    z = z.clone().requires_grad_()
    scr(z, labels, temperature).backward()
    return z.grad


def test_golden_values():
    assert scr(Z, Y).item() == pytest.approx(6.832399666752215, abs=1e-12)
    per_class, skipped = scr_per_class(Z, MULTI)
    expected = [6.832399666752215, 2.192399666752215, 9.392399666752215]
    assert per_class.tolist() == pytest.approx(expected, abs=1e-12)
    assert scr(Z, MULTI).item() == pytest.approx(6.139066333418882, abs=1e-12)
    assert skipped.tolist() == [0, 0, 0]
    module = importlib.import_module("clinbench.risk.losses.scr")
    assert doctest.testmod(module) == doctest.TestResults(failed=0, attempted=2)


@pytest.mark.parametrize(("positives", "floor"), [(35, 5.138), (3, 5.473)])
def test_floors_of_a_batch_of_256(positives, floor):
    """Numbers of risk.md 3.3: collapsed embeddings, and two perfect clusters."""
    labels = (torch.arange(256) < positives).to(F64)
    assert scr(torch.ones(256, 3, dtype=F64), labels).item() == pytest.approx(math.log(255))
    clusters = (2 * labels[:, None] - 1).expand(256, 3)
    assert scr(clusters, labels).item() == pytest.approx(floor, abs=1e-3)


@settings(max_examples=50, deadline=None)
@given(n=st.integers(1, 9), classes=st.integers(1, 4), seed=st.integers(0, 999), scale=st.floats(1e-4, 1e4))
def test_equals_the_naive_loop(n, classes, seed, scale):
    generator = torch.Generator().manual_seed(seed)
    z = torch.randn(n, 3, generator=generator, dtype=F64)
    y = torch.randint(0, 2, (n, classes), generator=generator)
    expected = [naive_scr(z, column) for column in y.T]
    assert scr_per_class(z, y)[0].tolist() == pytest.approx(expected, abs=1e-9)
    mean = pytest.approx(sum(expected) / classes, abs=1e-9)
    shuffled = torch.randperm(n, generator=generator)
    assert scr(z[shuffled], y[shuffled]).item() == mean
    assert scr(z * scale, y).item() == mean
    assert scr(z, 1 - y).item() == mean


def test_labels_of_any_dtype_and_shape_agree():
    expected = scr(Z, Y)
    for labels in (Y.bool(), Y.int(), Y.float(), Y.bfloat16(), Y[:, None]):
        assert scr(Z, labels) == expected


@pytest.mark.parametrize("temperature", [0.1, 1.0])
def test_analytic_gradient(temperature):
    z = torch.randn(5, 3, dtype=F64, requires_grad=True)
    for weight in (torch.ones(5, dtype=F64), torch.tensor([1, -2, 0, 3, 0.5], dtype=F64)):
        value = lambda z, w=weight: (w * scr_per_class(z, KINDS, temperature)[0]).sum()  # noqa: E731
        assert torch.autograd.gradcheck(value, (z,))
        assert torch.autograd.gradgradcheck(value, (z,))


def test_a_kept_graph_gives_the_same_gradient_again():
    z = Z.clone().requires_grad_()
    value = scr(z, MULTI)
    first, second = (torch.autograd.grad(value, z, retain_graph=True)[0] for _ in range(2))
    assert torch.equal(first, second)


def test_gradient_equals_that_of_the_formula():
    z = torch.randn(6, 4, dtype=F64, requires_grad=True)
    y = torch.tensor([1, 0, 0, 1, 0, 1])
    unit = z / z.norm(dim=1, keepdim=True)
    others = ~torch.eye(6, dtype=torch.bool)
    ratio = (unit @ unit.T / 0.1).exp()
    ratio = (ratio / (ratio * others).sum(1, keepdim=True)).log()
    same = (y[:, None] == y) & others
    formula = -((ratio * same).sum(1) / same.sum(1)).mean()
    assert torch.allclose(gradient(z.detach(), y), torch.autograd.grad(formula, z)[0], atol=1e-12)


ODD = {
    "zeros": (torch.zeros(4, 3), [1, 0, 0, 1]),
    "zero row": (torch.cat([torch.zeros(1, 3), torch.randn(3, 3)]), [1, 0, 0, 1]),
    "no positive": (torch.randn(4, 3), [0, 0, 0, 0]),
    "all positive": (torch.randn(4, 3), [1, 1, 1, 1]),
    "one positive": (torch.randn(4, 3), [1, 0, 0, 0]),
    "batch of one": (torch.randn(1, 3), [1]),
    "one of four classes": (torch.randn(1, 3), [[0, 1, 0, 0]]),
    "a pair": (torch.randn(2, 3), [1, 0]),
    "huge": (torch.full((4, 3), 1e30), [1, 0, 0, 1]),
    "tiny": (torch.full((4, 3), 1e-40), [1, 0, 0, 1]),
    "orthogonal": (torch.eye(4)[:, :3] * -7, [1, 0, 0, 1]),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("preset", ["clean", "paper", "reference"])
@pytest.mark.parametrize("temperature", [0.1, 0.001])
def test_odd_batches_stay_finite(name, preset, temperature):
    z, labels = ODD[name][0].clone().requires_grad_(), torch.tensor(ODD[name][1])
    loss = SupervisedContrastiveLoss("bce", 1.0, temperature, preset=preset)
    value = loss(torch.zeros(labels.shape), z, labels)
    value.backward()
    assert value.isfinite()
    assert z.grad.isfinite().all()


def test_zero_rows_count_as_orthogonal_to_all():
    z = torch.cat([torch.zeros(1, 2, dtype=F64), Z])
    labels = torch.tensor([1, 1, 1, 0, 0, 0])
    assert scr(z, labels).item() == pytest.approx(naive_scr(z, labels), abs=1e-9)


@pytest.mark.parametrize("scale", [1e-9, 1e30])
def test_lengths_beyond_the_squares_of_float32_do_not_matter(scale):
    labels = Y.int()
    assert scr(Z.float() * scale, labels).item() == pytest.approx(scr(Z, labels).item(), rel=1e-6)
    gradients = gradient(Z.float() * scale, labels) * scale
    assert torch.allclose(gradients.double(), gradient(Z, labels), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_computes_in_float32_forward_and_backward(dtype):
    z = torch.randn(8, 4).to(dtype)
    labels = torch.tensor([1.0, 0] * 4)
    plain = scr(z.float(), labels, 0.01), gradient(z.float(), labels, 0.01)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = scr(z, labels, 0.01)
        inside = gradient(z.float(), labels, 0.01)
    assert value.dtype == torch.float32
    assert value == plain[0]
    assert torch.equal(inside, plain[1])
    assert gradient(z, labels, 0.01).dtype == dtype


def test_small_temperatures_do_not_underflow():
    # The nearest other row of each is opposite: exp((s − 1)/τ) would be exp(−400).
    z = torch.tensor([[1.0, 0], [-1.0, 0]])
    assert scr(z, torch.ones(2), 0.005).item() == 0
    assert scr(torch.cat([z, z[:1]]), torch.tensor([1, 1, 0]), 0.005).item() == pytest.approx(
        (400 + math.log(2)) / 3
    )


def test_classes_cost_no_memory_of_their_own():
    def saved(classes, n=64, d=8):
        tensors = {}
        keep = lambda t: tensors.update({t.untyped_storage().data_ptr(): t}) or t  # noqa: E731
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
            value = scr(torch.randn(n, d, requires_grad=True), torch.randint(0, 2, (n, classes)))
        assert value.requires_grad
        return sum(t.numel() * t.element_size() for t in tensors.values())

    assert 64 * 64 * 4 <= saved(1) <= 64 * (64 + 8 + 8) * 4
    assert saved(101) - saved(1) <= 100 * (2 * 64 + 4) * 4
