"""Document-level scores against fixtures worked by hand from the official rules (coding.md section 3.5)."""

import numpy as np
import pytest

from clinbench.evaluation.documents import METRICS, codes_of, document_metrics, document_tallies

GOLD = [("d1", "R50.9"), ("d1", "i10"), ("d1", "I10"), ("d2", "n23"), ("d3", "k25"), ("d3", "j40")]
# d1: hit, repeat (dropped), miss, hit; d2: invalid code (dropped), then a miss; d3 unanswered; d9 has no gold.
ANSWERS = [
    ("d1", "i10"), ("d1", "I10"), ("d1", "a00"), ("d1", "r50.9"),
    ("d2", "zzz"), ("d2", "a00"), ("d9", "a00"),
]  # fmt: skip
VALID = {"i10", "r50.9", "n23", "k25", "j40", "a00"}


def test_pairs_are_lower_cased_and_kept_once_and_invalid_codes_dropped():
    assert codes_of(GOLD) == {"d1": ["r50.9", "i10"], "d2": ["n23"], "d3": ["k25", "j40"]}
    assert codes_of(ANSWERS, VALID) == {"d1": ["i10", "a00", "r50.9"], "d2": ["a00"], "d9": ["a00"]}


def test_scores_worked_by_hand():
    scores = document_metrics(codes_of(GOLD), codes_of(ANSWERS, VALID))
    # 2 right pairs of 5 predicted ones and 5 gold ones; AP of d1 is (1/1 + 2/3) / 2, of d2 0; d3 has no
    # prediction and d9 no gold, so the mean is over d1 and d2.
    assert scores == pytest.approx(
        {"doc_precision": 2 / 5, "doc_recall": 2 / 5, "doc_f1": 2 / 5, "doc_map": (5 / 6) / 2}
    )


def test_an_invalid_code_costs_precision_only_where_no_list_of_codes_is_given():
    scores = document_metrics(codes_of(GOLD), codes_of(ANSWERS))
    assert scores["doc_precision"] == pytest.approx(2 / 6) and scores["doc_f1"] == pytest.approx(4 / 11)


def test_average_precision_has_no_cut_off():
    answers = [("d1", f"x{at}") for at in range(40)] + [("d1", "i10")]
    assert document_metrics({"d1": ["i10"]}, codes_of(answers))["doc_map"] == pytest.approx(1 / 41)


def test_without_a_prediction_only_recall_and_f1_are_defined():
    scores = document_metrics(codes_of(GOLD), {})
    assert scores["doc_recall"] == scores["doc_f1"] == 0.0
    assert np.isnan(scores["doc_precision"]) and np.isnan(scores["doc_map"])
    assert tuple(scores) == METRICS


def test_tallies_are_one_row_a_document():
    docs, rows = document_tallies(codes_of(GOLD), codes_of(ANSWERS, VALID))
    assert docs == ["d1", "d2", "d3", "d9"]
    assert rows[:, :3].tolist() == [[2, 3, 2], [1, 1, 0], [2, 0, 0], [0, 1, 0]]
    assert rows[:, 4].tolist() == [1, 1, 0, 0]
