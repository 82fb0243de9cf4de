"""Triplet approximations: the exact terms are those of the losses, and errors are as worked by hand."""

import math

import numpy as np
import pytest
import torch

from clinbench.errors import UserError
from clinbench.risk.losses import cbce, csce, scr
from clinbench.risk.triplets import cbce_terms, csce_terms, fits, scr_terms

GRID = np.linspace(-2, 2, 4001)
F64 = torch.float64


def test_exact_terms_are_those_of_the_losses():
    z = torch.nn.functional.normalize(torch.randn(3, 4, dtype=F64))  # anchor, positive, negative
    s = z @ z.T
    # The positive is an anchor too, and the negative has no partner.
    margins = np.array([s[0, 1] - s[0, 2], s[1, 0] - s[1, 2]])
    batch = scr(z, torch.tensor([1, 1, 0]), 0.2)
    assert scr_terms(margins, 0.2).exact.sum() / 3 == pytest.approx(batch.item())
    logits = torch.tensor([[-0.3, 1.1]], dtype=F64)  # negative d, positive a
    for label, margin in ((1, 1.4), (0, -1.4)):
        labels = torch.tensor([label])
        assert csce_terms([margin]).exact[0] == pytest.approx(csce(logits, labels).item())
    assert cbce_terms([1.4], middle=0.4).exact[0] == pytest.approx(cbce(logits, torch.tensor([1])).item())
    assert cbce_terms([-1.4], middle=0.4).exact[0] == pytest.approx(cbce(logits, torch.tensor([0])).item())


def test_values_by_hand():
    terms = scr_terms([-0.1, 0, 0.1], 0.1)
    assert terms.exact.tolist() == pytest.approx([1.3132617, 0.6931472, 0.3132617])
    assert terms.hinge.tolist() == pytest.approx([1, 0, 0])
    assert terms.linear.tolist() == pytest.approx([1.1931472, 0.6931472, 0.1931472])
    terms = cbce_terms([0.0, 2.0], middle=1.0)  # logits 1 and 1; 2 and 0
    assert terms.exact.tolist() == pytest.approx([1.6265234, 0.8200751])
    assert terms.hinge.tolist() == pytest.approx([1, 0])
    assert terms.linear.tolist() == pytest.approx([1.3862944, 0.3862944])


def test_distances_of_unit_vectors_give_the_same_triplet_losses():
    z = torch.nn.functional.normalize(torch.randn(3, 4, dtype=F64)).numpy()
    to_positive, to_negative = ((z[0] - z[1]) ** 2).sum(), ((z[0] - z[2]) ** 2).sum()
    terms = scr_terms([z[0] @ z[1] - z[0] @ z[2]], 0.1)
    assert terms.hinge[0] == pytest.approx(max(to_positive - to_negative, 0) / 0.2)
    assert terms.linear[0] == pytest.approx((to_positive - to_negative + 0.4 * math.log(2)) / 0.4)


@pytest.mark.parametrize("temperature", [0.05, 0.1, 1.0])
def test_the_hinge_errs_most_at_zero_and_less_than_exponentially(temperature):
    terms = scr_terms(GRID, temperature)
    hinge = fits(terms)["hinge"]
    assert (hinge.largest_error, hinge.at) == (pytest.approx(math.log(2)), pytest.approx(0, abs=1e-12))
    error = terms.exact - terms.hinge
    assert (error >= 0).all()
    assert (error <= np.exp(-np.abs(GRID) / temperature) + 1e-12).all()
    assert error == pytest.approx(error[::-1], abs=1e-12)


def test_regions_of_the_hinge():
    hinge = fits(scr_terms(GRID, 0.1))["hinge"]
    # softplus(−x) = .05 at x = −log(e^.05 − 1) = 2.970; relative: only where the triplet is violated.
    (low, high), (again, end) = hinge.absolute
    assert (low, end) == (-2, 2)
    assert (high, again) == (pytest.approx(-0.2970, abs=1.1e-3), pytest.approx(0.2970, abs=1.1e-3))
    ((low, high),) = hinge.relative
    assert low == -2
    x = -high / 0.1
    assert math.log1p(math.exp(-x)) / math.log1p(math.exp(x)) == pytest.approx(0.05, abs=2e-3)
    # At a temperature of 1 two cosines never differ enough for the absolute region.
    assert fits(scr_terms(GRID, 1.0))["hinge"].absolute == []


def test_regions_of_the_linear_approximation():
    linear = fits(scr_terms(GRID, 0.1))["linear"]
    ((low, high),) = linear.absolute
    # The error log cosh(x/2) is .05 at x = 2 arcosh(e^.05) = 0.635.
    assert high == pytest.approx(0.1 * 2 * math.acosh(math.exp(0.05)), abs=1.1e-3) == -low
    ((low, high),) = linear.relative
    assert low < -high < 0 < high  # the exact term is larger where the triplet is violated
    assert linear.largest_error == pytest.approx(math.log(math.cosh(10)))
    assert abs(linear.at) == 2


def test_csce_is_scr_of_temperature_one_and_centred_cbce_two_of_temperature_two():
    for ours, scr_like in zip(csce_terms(GRID), scr_terms(GRID, 1.0), strict=True):
        assert np.allclose(ours, scr_like)
    centred, half = cbce_terms(GRID), scr_terms(GRID, 2.0)
    for name in ("exact", "hinge", "linear"):
        assert np.allclose(getattr(centred, name), 2 * getattr(half, name))
    assert fits(cbce_terms(GRID, middle=3.0))["linear"].absolute == []


def test_bad_arguments_are_named():
    with pytest.raises(UserError, match="margin"):
        scr_terms([2.1])
    with pytest.raises(UserError, match="margin"):
        scr_terms([math.nan])
    for temperature in (0, -1, math.nan):
        with pytest.raises(UserError, match="temperature"):
            scr_terms([0.0], temperature)
