"""Random swaps against swapping row by row, and against SciPy's permutation test."""

import numpy as np
import pytest
from scipy.stats import permutation_test, rankdata

from clinbench.evaluation.binary import METRICS, binary_metrics
from clinbench.evaluation.multilabel import METRICS as OF_LABELS
from clinbench.evaluation.multilabel import multilabel_metrics
from clinbench.evaluation.ranking import ranking_metrics, ratios, tallies
from clinbench.evaluation.swaps import draw_swaps, swap_binary, swap_multilabel, swap_tallies, unit_tallies

SAMPLES, PATIENTS = 40, 25


def case(seed, decimals=16, shape=()):
    rng = np.random.default_rng(seed)
    y = rng.random((SAMPLES, *shape)) < 0.4
    p = (rng.random((2, 3, SAMPLES, *shape)) + 0.2 * y).round(decimals)
    unit = rng.integers(0, PATIENTS, SAMPLES).astype(np.uint32)
    return y, p[0], p[1], unit, draw_swaps(PATIENTS, 12, seed)


@pytest.mark.parametrize("decimals", [0, 1, 16])
def test_swaps_equal_swapping_row_by_row(decimals):
    y, first, second, unit, swaps = case(decimals, decimals)
    found = swap_binary(y, first, second, unit, swaps)
    for at, swapped in enumerate(swaps):
        naive = []
        for a, b in zip(first, second, strict=True):
            ranks = rankdata(a), rankdata(b)
            one, other = (np.where(swapped[unit], *pair) for pair in (ranks[::-1], ranks))
            scores = [binary_metrics(y, given) for given in (one, other)]
            shown = [np.where(swapped[unit], *pair) for pair in ((b, a), (a, b))]
            for score, given in zip(scores, shown, strict=True):
                score["accuracy"] = np.mean((given > 0.5) == y)
            naive.append([scores[0][name] - scores[1][name] for name in METRICS])
        assert [found[name][at] for name in METRICS] == pytest.approx(np.mean(naive, axis=0), abs=1e-12)


def test_swaps_of_labels_equal_swapping_row_by_row():
    y, first, second, unit, swaps = case(7, 1, shape=(3,))
    y[:, 2] = False
    found = swap_multilabel(y, first[:1], second[:1], unit, swaps)
    ranked = [
        np.stack([np.stack([rankdata(one) for one in row[0].T], axis=1), rankdata(row[0]).reshape(y.shape)])
        for row in (first, second)
    ]
    for at, swapped in enumerate(swaps):
        chosen = swapped[unit][:, None]
        one, other = (np.where(chosen, *pair) for pair in (ranked[::-1], ranked))
        for name in OF_LABELS:
            kind = int(name == "micro_auroc")  # ranks within a label, or of all labels together
            naive = multilabel_metrics(y, one[kind])[name] - multilabel_metrics(y, other[kind])[name]
            assert found[name][at] == pytest.approx(naive, abs=1e-12)


def test_swaps_of_documents_equal_swapping_query_by_query():
    rng = np.random.default_rng(0)
    ranks, docs = rng.integers(0, 4, (2, 1, SAMPLES)), rng.integers(0, PATIENTS, SAMPLES)
    answered = (ranks > 0) | (rng.random(ranks.shape) < 0.5)
    swaps = draw_swaps(PATIENTS, 10, 1)
    sums = [unit_tallies(tallies(*row), docs, PATIENTS) for row in zip(ranks, answered, strict=True)]
    found = swap_tallies(*sums, swaps, ratios)
    for at, swapped in enumerate(swaps):
        sides = [np.where(swapped[docs], *pair) for pair in ((1, 0), (0, 1))]
        one, other = (
            ranking_metrics(ranks[side, 0, np.arange(SAMPLES)], answered[side, 0, np.arange(SAMPLES)])
            for side in sides
        )
        for name, values in found.items():
            assert values[at] == pytest.approx(one[name] - other[name], abs=1e-12)


def test_all_swaps_give_the_p_value_of_scipy():
    rng = np.random.default_rng(3)
    right = rng.random((2, 1, 9)) < [[[0.8]], [[0.3]]]
    swaps = (np.arange(2**9)[:, None] >> np.arange(9)) % 2 == 1
    null = swap_tallies(*right[..., None].astype(float), swaps, lambda sums: {"share": sums[..., 0] / 9})
    seen = right[0].mean() - right[1].mean()
    ours = (np.abs(null["share"]) >= abs(seen) - 1e-12).mean()
    theirs = permutation_test(
        (right[0, 0].astype(float), right[1, 0].astype(float)),
        lambda first, second: first.mean() - second.mean(),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    assert seen != 0 and ours == pytest.approx(theirs.pvalue)


def test_a_row_of_one_seed_meets_each_seed_of_the_other():
    y, first, second, unit, swaps = case(5)
    alone = swap_binary(y, first, second[:1], unit, swaps)
    each = swap_binary(y, first, np.repeat(second[:1], 3, axis=0), unit, swaps)
    for name in METRICS:
        np.testing.assert_allclose(alone[name], each[name], atol=1e-15)


def test_nothing_is_scored_with_one_class():
    y, first, second, unit, swaps = case(6)
    found = swap_binary(np.zeros_like(y), first, second, unit, swaps)
    assert np.isnan(found["auroc"]).all() and np.isnan(found["auprc"]).all()
    assert not np.isnan(found["accuracy"]).any()
