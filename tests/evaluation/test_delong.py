"""DeLong's test against pairs counted one by one, worked numbers and leaving patients out."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from clinbench.errors import UserError
from clinbench.evaluation.delong import delong, placements


def literal(y, first, second):
    """Variance by the definition: every positive against every negative."""

    def shares(p):
        beats = (p[y][:, None] > p[~y]) + 0.5 * (p[y][:, None] == p[~y])
        return beats.mean(axis=1), beats.mean(axis=0)

    sides = [one - other for one, other in zip(shares(first), shares(second), strict=True)]
    return sides[0].mean(), sum(side.var(ddof=1) / len(side) for side in sides)


def outcome(seed, decimals):
    rng = np.random.default_rng(seed)
    y = rng.random(80) < 0.3
    common = rng.normal(size=80) + y
    return y, *((common + rng.normal(size=80)).round(decimals) for _ in range(2))


@pytest.mark.parametrize("decimals", [0, 1, 16])
def test_it_equals_every_positive_against_every_negative(decimals):
    y, first, second = outcome(decimals, decimals)
    difference, variance = literal(y, first, second)
    found = delong(y, first, second, np.arange(80))
    assert difference == pytest.approx(roc_auc_score(y, first) - roc_auc_score(y, second), abs=1e-12)
    assert (found["difference"], found["se"] ** 2) == pytest.approx((difference, variance), abs=1e-14)


def test_worked_numbers():
    # Shares of positives: (1, 1/2) and (1, 1); of negatives: (1/2, 1) and (1, 1). Both variances of the
    # differences (0, -1/2) are 1/8, so that of the difference is 1/16 + 1/16, z is -1/sqrt(2), p is .4795.
    found = delong([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1], [0.8, 0.7, 0.6, 0.2], np.arange(4))
    assert found == pytest.approx({"difference": -0.25, "se": 0.125**0.5, "p": 0.479500}, abs=1e-6)


def test_seeds_are_averaged():
    y, first, second = outcome(2, 16)
    np.testing.assert_allclose(
        placements(y, np.stack([first, second])),
        (placements(y, first[None]) + placements(y, second[None])) / 2,
    )
    both = delong(y, np.stack([first, second]), first, np.arange(80))
    assert both["difference"] == pytest.approx(delong(y, second, first, np.arange(80))["difference"] / 2)


def test_patients_whose_stays_are_copied_count_once():
    y, first, second = outcome(3, 16)
    alone = delong(y, first, second, np.arange(80))
    copied = delong(*(np.tile(one, 3) for one in (y, first, second)), np.tile(np.arange(80), 3))
    apart = delong(*(np.tile(one, 3) for one in (y, first, second)), np.arange(240))
    assert copied == pytest.approx(alone)
    assert apart["se"] < 0.6 * alone["se"]


def test_undefined_is_not_a_number_and_equal_scores_are_no_difference():
    nothing = delong([0, 0, 0], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1], np.arange(3))
    assert np.isnan(list(nothing.values())).all()
    assert np.isnan(delong([0, 0, 1], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1], np.arange(3))["p"])
    y, first, _ = outcome(4, 16)
    assert delong(y, first, first, np.arange(80)) == {"difference": 0.0, "se": 0.0, "p": 1.0}
    with pytest.raises(UserError, match="label 2"):
        delong([0, 2], [0.1, 0.2], [0.3, 0.2], np.arange(2))
