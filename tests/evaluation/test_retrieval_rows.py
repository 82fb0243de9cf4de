"""The rows of one system: levels, subsets, depth, documents."""

import numpy as np
import pytest

from clinbench.evaluation.macro import METRICS as MACRO
from clinbench.evaluation.ranking import METRICS
from clinbench.evaluation.retrieval import document_rows, retrieval_rows

GOLDS = [("A00", "A01"), ("B00",), ("C00",), ("A00", "A01")]
DOCS = np.array(["d1", "d1", "d2", "d3"])
RANKINGS = [
    [("A01", 2.0), ("B00", 1.0)],  # right: the second accepted code
    [("C00", 1.0), ("B00", 0.5)],
    [],
    [("B05", 1.0)],
]
LEVELS = {"exact": str, "category": lambda code: code[0]}
COLUMNS = {"track": "coding", "dataset": "toy", "system": "ours"}


def rows(**options):
    subsets = {
        "all": np.ones(4, dtype=bool),
        "seen": np.array([True, True, False, False]),
        "none": np.zeros(4, dtype=bool),
        "chapter:1": np.array([True, False, False, True]),
    }
    found = retrieval_rows([RANKINGS], GOLDS, DOCS, LEVELS, subsets, columns=COLUMNS, draws=20, **options)
    return {(row["subset"], row["level"], row["metric"]): row for row in found}


def test_every_subset_has_its_own_n_and_scores():
    found = rows()
    assert {key[0] for key in found} == {"all", "seen", "chapter:1"}
    everything = {name: found["all", "exact", name]["value"] for name in METRICS}
    assert (everything["precision"], everything["recall"]) == (pytest.approx(1 / 3), 0.25)
    assert everything["map10"] == pytest.approx((1 + 1 / 2) / 4)
    assert found["seen", "exact", "recall"]["value"] == 0.5 and found["seen", "exact", "recall"]["n"] == 2
    assert found["chapter:1", "category", "recall"]["value"] == 0.5
    assert found["all", "category", "recall"]["value"] == 0.25


def test_small_subsets_are_left_out_but_never_all():
    assert {subset for subset, _, _ in rows(smallest=3)} == {"all"}
    assert {subset for subset, _, _ in rows(smallest=5)} == {"all"}


def test_macro_treats_any_accepted_code_as_the_golds_class():
    found = rows()
    # A00: one of two asked is right and nothing else answered so; B00 and C00: never right.
    assert found["all", "exact", "macro_recall"]["value"] == pytest.approx(0.5 / 3)
    assert found["all", "exact", "macro_f1"]["value"] == pytest.approx((2 / 3) / 3)
    assert not {(subset, metric) for subset, _, metric in found if subset == "chapter:1" and metric in MACRO}


def test_ranks_beyond_the_depth_are_not_reported():
    metrics = {metric for _, _, metric in rows(depth=10)}
    assert "r10" in metrics and not {"r50", "r100"} & metrics


def test_documents():
    gold = {"d1": ["a00", "b00"], "d2": ["c00"], "d3": ["a00"]}
    found = document_rows(gold, [{"d1": ["a00", "c00"], "d3": ["b05"]}], columns=COLUMNS, draws=50)
    by_metric = {row["metric"]: row for row in found}
    assert by_metric["doc_precision"]["value"] == pytest.approx(1 / 3)
    assert by_metric["doc_recall"]["value"] == pytest.approx(1 / 4)
    assert by_metric["doc_map"]["value"] == pytest.approx(0.25)
    assert {row["n"] for row in found} == {3} and {row["level"] for row in found} == {"exact"}
    assert by_metric["doc_recall"]["ci_low"] < 0.25 < by_metric["doc_recall"]["ci_high"]


def test_documents_of_several_seeds_are_averaged():
    gold = {"d1": ["a00"], "d2": ["c00"]}
    found = document_rows(gold, [{"d1": ["a00"]}, {"d1": ["x"], "d2": ["c00"]}], columns=COLUMNS, draws=10)
    by_metric = {row["metric"]: row["value"] for row in found}
    assert by_metric["doc_precision"] == pytest.approx((1 + 0.5) / 2)
    assert by_metric["doc_map"] == pytest.approx((1 + 0.5) / 2)
