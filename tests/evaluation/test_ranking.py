"""Ranking metrics against a literal version, query by query."""

import numpy as np
import pytest

from clinbench.errors import UserError
from clinbench.evaluation.bootstrap import draw_weights
from clinbench.evaluation.ranking import (
    METRICS,
    answered_queries,
    bootstrap_ranking,
    gold_ranks,
    ranking_metrics,
)


def naive_metrics(ranks, answered):
    queries = len(ranks)
    correct = sum(rank == 1 for rank in ranks)
    precision = correct / sum(answered) if sum(answered) else float("nan")
    recall = correct / queries
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if correct else 0.0,
        "map10": sum(1 / rank for rank in ranks if 1 <= rank <= 10) / queries,
        "mrr": sum(1 / rank for rank in ranks if rank) / queries,
    } | {f"r{depth}": sum(1 <= rank <= depth for rank in ranks) / queries for depth in (3, 5, 10, 50, 100)}


def naive_rank(ranking, gold, level_of):
    classes = list(dict.fromkeys(level_of(code) for code, _ in ranking))
    return classes.index(level_of(gold)) + 1 if level_of(gold) in classes else 0


def queries(seed, count=40):
    rng = np.random.default_rng(seed)
    ranks = np.where(rng.random(count) < 0.8, rng.integers(0, 15, count), rng.integers(0, 150, count))
    return ranks, (ranks > 0) | (rng.random(count) < 0.5)


def test_gold_ranks_equal_a_literal_collapse():
    rng = np.random.default_rng(0)
    codes = [f"{letter}{digit}0.{tail}" for letter in "AB" for digit in "012" for tail in "012"]
    rankings = [[(code, 0.0) for code in rng.permutation(codes)[: rng.integers(0, 12)]] for _ in range(60)]
    golds = rng.choice(codes, 60)
    for level_of in (str, lambda code: code[:3], lambda code: code[0]):
        expected = [naive_rank(*pair, level_of) for pair in zip(rankings, golds, strict=True)]
        np.testing.assert_array_equal(gold_ranks(rankings, golds, level_of), expected)
    np.testing.assert_array_equal(answered_queries(rankings), [bool(ranking) for ranking in rankings])


def test_duplicates_keep_the_first_and_ties_keep_their_order():
    ranking = [("B20", 1.0), ("A00", 1.0), ("B20", 1.0), ("C00", 1.0)]
    np.testing.assert_array_equal(gold_ranks([ranking] * 3, ["A00", "C00", "Z00"], str), [2, 3, 0])


def test_any_accepted_code_counts_where_the_best_of_them_stands():
    ranking = [("A00", 3.0), ("B00.1", 2.0), ("C00", 1.0)]
    golds = [("C00", "B00.1"), ("C00",), ("Z00", "Y00"), "C00"]
    np.testing.assert_array_equal(gold_ranks([ranking] * 4, golds, str), [2, 3, 0, 3])
    np.testing.assert_array_equal(gold_ranks([ranking], [("B00.9", "C00")], lambda code: code[:3]), [2])


def test_metrics_equal_the_literal_version():
    for seed in range(20):
        ranks, answered = queries(seed)
        assert ranking_metrics(ranks, answered) == pytest.approx(naive_metrics(ranks, answered), abs=1e-12)


def test_a_system_that_always_answers_has_one_top1_number():
    ranks, _ = queries(1)
    scores = ranking_metrics(ranks, np.ones(40, bool))
    assert scores["precision"] == scores["recall"] == scores["f1"] == np.mean(ranks == 1)


def test_rank_10_counts_and_rank_11_does_not():
    scores = ranking_metrics([10, 11], [True, True])
    assert scores["map10"] == pytest.approx(0.05) and scores["mrr"] == pytest.approx((1 / 10 + 1 / 11) / 2)


def test_without_answers_only_precision_is_undefined():
    scores = ranking_metrics([0, 0], [False, False])
    assert np.isnan(scores.pop("precision")) and set(scores.values()) == {0.0}
    assert all(np.isnan(value) for value in ranking_metrics([], []).values())


def test_draws_of_documents_equal_resampled_queries():
    ranks = np.stack([queries(seed)[0] for seed in (2, 3)])
    answered = ranks > 0
    docs = np.r_[np.arange(8), np.random.default_rng(0).integers(0, 8, 32)]
    weights = draw_weights(8, 25, seed=5)
    drawn = bootstrap_ranking(ranks, answered, docs, weights)
    assert tuple(drawn) == METRICS
    for at, w in enumerate(weights):
        rows = np.repeat(np.arange(40), w[docs])
        seeds = [naive_metrics(*pair) for pair in zip(ranks[:, rows], answered[:, rows], strict=True)]
        for name in METRICS:
            assert drawn[name][at] == pytest.approx(np.mean([one[name] for one in seeds]), abs=1e-12)
        weighted = ranking_metrics(ranks[0], answered[0], w[docs])
        assert weighted == pytest.approx(naive_metrics(ranks[0, rows], answered[0, rows]), abs=1e-12)


def test_answers_may_be_the_same_for_all_seeds():
    ranks, answered = queries(4)
    weights = draw_weights(40, 5, seed=0)
    both = bootstrap_ranking(np.stack([ranks, ranks]), answered, np.arange(40), weights)
    one = bootstrap_ranking(ranks, answered, np.arange(40), weights)
    np.testing.assert_allclose(both["precision"], one["precision"])


def test_documents_outside_the_weights_are_refused():
    with pytest.raises(UserError, match="a unit, 0 to 1"):
        bootstrap_ranking([1, 2], [True, True], [0, 5], draw_weights(2, 3, seed=0))
