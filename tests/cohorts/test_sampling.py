"""Thinning of positives: the published sizes, nested sets, and what stays untouched."""

import numpy as np
import pytest

from clinbench.cohorts import sampling
from clinbench.cohorts.sampling import expected_positives, keep_positives, parse_sample, sample
from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError

RATIOS = (0.05, 0.01, 0.001)
# The training set of the benchmark: 14,681 stays, 1,987 of them positive (risk.md 1.4, 4.6).
LABELS = np.zeros(14681)
LABELS[np.random.default_rng(5).permutation(14681)[:1987]] = 1


def cohort(stays=400, labels=None):
    """Return stays of one hour, out of order, half of the last 60 in val and half in test."""
    rng = np.random.default_rng(0)
    names = rng.permutation([f"{100000 + i}_episode1_timeseries.csv" for i in range(stays)])
    labels = rng.random(stays) < 0.4 if labels is None else labels
    split = np.array(["train"] * (stays - 60) + ["val"] * 30 + ["test"] * 30)
    values = rng.normal(size=(stays, 3))
    return Cohort(
        values, np.arange(stays + 1), labels, names, names, split, ["a", "b", "c"], info={"rows": 1}
    )


def test_the_papers_three_sizes():
    kept = [keep_positives(LABELS, ratio, 0) for ratio in RATIOS]
    assert [int(mask.sum()) for mask in kept] == [13374, 12825, 12708]
    assert [int(LABELS[mask].sum()) for mask in kept] == [680, 131, 14]
    ordinals = [99, 540, 742, 757, 821, 852, 1062, 1070, 1130, 1234, 1633, 1712, 1946, 1974]
    assert np.flatnonzero(kept[2][LABELS == 1]).tolist() == ordinals
    assert all(mask[LABELS == 0].all() for mask in kept)


def test_sets_are_nested_within_a_draw_and_differ_between_draws():
    for draw in range(4):
        large, middle, small = (keep_positives(LABELS, ratio, draw) for ratio in RATIOS)
        assert (small <= middle).all() and (middle <= large).all()
    assert len({keep_positives(LABELS, 0.001, draw).tobytes() for draw in range(4)}) == 4


def test_the_ratio_is_right_on_average():
    for ratio in RATIOS:
        chance = ratio * 12694 / ((1 - ratio) * 1987)  # the formula of risk.md 4.6
        assert expected_positives(LABELS, ratio) == pytest.approx(1987 * chance)
    counts = [LABELS[keep_positives(LABELS, 0.01, draw)].sum() for draw in range(200)]
    assert np.mean(counts) == pytest.approx(expected_positives(LABELS, 0.01), rel=0.03)


def test_a_ratio_above_the_prevalence_keeps_all():
    assert keep_positives(LABELS, 0.3, 0).all() and expected_positives(LABELS, 0.3) == 1987


def test_only_training_positives_go_and_names_decide():
    whole = cohort()
    thinned = sample(whole, "positives=0.1,draw=3")
    order = np.argsort(whole.stays)
    again = Cohort(
        whole.values[order], np.arange(401), whole.labels[order], whole.stays[order],
        whole.stays[order], whole.split[order], whole.features,
    )  # fmt: skip
    assert {*sample(again, "positives=0.1,draw=3").stays.tolist()} == {*thinned.stays.tolist()}
    for split in ("val", "test"):
        assert thinned.select(split).fingerprint() == whole.select(split).fingerprint()
    train, before = thinned.select("train"), whole.select("train")
    assert (train.labels == 0).sum() == (before.labels == 0).sum()
    assert 0 < train.labels.sum() < before.labels.sum()
    facts = thinned.info["sample"]
    assert (facts["stays"], facts["positives"]) == (len(train), train.labels.sum())
    assert facts["positives_of_all"] == before.labels.sum() and "sample" not in whole.info
    kept = dict(zip(whole.stays.tolist(), whole.values.tolist(), strict=True))
    assert all(
        kept[stay] == row for stay, row in zip(train.stays.tolist(), train.values.tolist(), strict=True)
    )


def test_all_is_the_cohort_and_too_few_are_none():
    whole = cohort()
    assert sample(whole, "all") is whole
    assert expected_positives(whole.select("train").labels, 0.01) < 5
    assert sample(whole, "positives=0.01,draw=0") is None


def test_mistakes_are_named():
    assert parse_sample("positives=0.001,draw=12") == (0.001, 12)
    for name in (
        "positives=0.01",
        "positives=0,draw=1",
        "positives=0.0,draw=1",
        "positives=1.5,draw=1",
        "al",
    ):
        with pytest.raises(UserError, match=f"No sample '{name}'; write 'all'"):
            parse_sample(name)
    with pytest.raises(UserError, match="one label; this one has 2"):
        sample(cohort(labels=np.zeros((400, 2))), "positives=0.1,draw=0")


def test_levels_with_too_few_positives_or_no_fewer_are_skipped_with_the_reason():
    labels = np.repeat([0.0, 1.0], [90, 10])
    assert sampling.why_skipped(labels, 0.06) == ""
    assert sampling.why_skipped(labels, 0.01) == "0.9 training positives expected, fewer than 5"
    assert sampling.why_skipped(labels, 0.1) == "no fewer positives: the training stays have 10.0 %"
