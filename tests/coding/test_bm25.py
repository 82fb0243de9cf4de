"""BM25 against rank_bm25, and rankings against sorting everything."""

import numpy as np
import polars as pl
import pytest
from rank_bm25 import BM25Okapi

from clinbench.coding.bm25 import build_index, rank, score
from clinbench.coding.context import Context
from clinbench.coding.systems import bm25 as system
from clinbench.coding.text import tokens
from clinbench.errors import UserError


def corpus(rng, texts, vocabulary, longest):
    words = [f"w{at}" for at in range(vocabulary)]
    # Zipf-like, so that some words stand in most texts and get a negative idf.
    weights = 1 / np.arange(1, vocabulary + 1)
    weights /= weights.sum()
    return [" ".join(rng.choice(words, size=rng.integers(0, longest + 1), p=weights)) for _ in range(texts)]


def literal_rankings(texts, codes, queries, depth, **parameters):
    oracle = BM25Okapi([tokens(text) for text in texts], **parameters)
    found = []
    for query in queries:
        best = {}
        for code, value in zip(codes, oracle.get_scores(tokens(query)), strict=True):
            if value > 0:
                best[code] = max(value, best.get(code, 0.0))
        found.append(sorted(best.items(), key=lambda item: (-item[1], item[0]))[:depth])
    return found


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "parameters", [{}, {"k1": 0.9, "b": 0.4, "epsilon": 0.1}, {"k1": 3.0, "b": 0.0}, {"b": 0.99}]
)
def test_scores_equal_rank_bm25(seed, parameters):
    rng = np.random.default_rng(seed)
    texts = ["w0", *corpus(rng, int(rng.integers(1, 80)), 30, 12)]
    oracle = BM25Okapi([tokens(text) for text in texts], **parameters)
    index = build_index(texts, **parameters)
    for query in ["w0", "w0 w0 w3", "unknown", "", *corpus(rng, 20, 35, 6)]:
        np.testing.assert_allclose(score(index, query), oracle.get_scores(tokens(query)), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("depth", [1, 5, 1000])
def test_rankings_equal_sorting_everything(seed, depth):
    rng = np.random.default_rng(seed)
    texts = ["w0", *corpus(rng, 150, 12, 4)]  # short texts of few words: many ties
    codes = [f"C{number:02d}" for number in rng.integers(0, 60, len(texts))]
    queries = corpus(rng, 40, 15, 4)
    found = rank(build_index(texts), codes, queries, depth)
    expected = literal_rankings(texts, codes, queries, depth)
    for ours, theirs in zip(found, expected, strict=True):
        assert [code for code, _ in ours] == [code for code, _ in theirs]
        np.testing.assert_allclose([value for _, value in ours], [value for _, value in theirs], atol=1e-9)


def test_floor_of_negative_idf_is_used():
    texts = ["a b", "a c", "a d", "e"]  # 'a' stands in three of four texts
    index = build_index(texts)
    assert score(index, "a")[0] > 0
    oracle = BM25Okapi([tokens(text) for text in texts])
    np.testing.assert_allclose(score(index, "a"), oracle.get_scores(["a"]), atol=1e-12)


def test_no_shared_word_and_no_positive_score_are_no_answer():
    assert rank(build_index(["a b", "c"]), ["A00", "B00"], ["x y", "", "?!"], 10) == [[], [], []]
    # One text alone: every idf is negative, so is the floor, and nothing is an answer.
    assert rank(build_index(["a a"]), ["A00"], ["a"], 10) == [[]]


def test_texts_without_a_word_score_nothing():
    found = rank(build_index(["", "fever", "cough", "rash", "--"]), ["A", "B", "C", "D", "E"], ["fever"], 10)
    assert [code for code, _ in found[0]] == ["B"]
    with pytest.raises(UserError, match="none of the 2 text"):
        build_index(["", "-"])


def test_bounds_of_the_parameters_stay_defined():
    # rank_bm25 divides 0 by 0 here: without saturation, and for an empty text under full length correction.
    texts = ["fever fever", "fever cough", "rash", "", "itch", "ache"]
    np.testing.assert_allclose(score(build_index(texts, k1=0.0), "fever")[:2], np.log(4.5 / 2.5))
    for parameters in ({"k1": 0.0}, {"b": 1.0}):
        assert np.isfinite(score(build_index(texts, **parameters), "fever rash")).all()
        assert score(build_index(texts, **parameters), "fever")[2:].tolist() == [0.0] * 4


def test_equal_texts_tie_by_code_and_equal_queries_agree():
    texts = ["renal colic", "renal colic", "other thing", "more", "words", "here"]
    found = rank(
        build_index(texts), ["N23", "N13", "A00", "A01", "A02", "A03"], ["Renal  COLIC", "renal colic"], 1
    )
    assert [[code for code, _ in ranking] for ranking in found] == [["N13"], ["N13"]]
    found[0].clear()
    assert found[1], "rankings of equal queries must not be one list"


def test_plug_in_searches_with_defaults_and_options():
    table = pl.DataFrame(
        {
            "code": ["K25", "K26", "N20", "N20", "R05"],
            "text": ["úlcera gástrica", "úlcera duodenal", "cálculo del riñón", "litiasis renal", "tos"],
            "lang": ["es"] * 5,
            "source": ["made up"] * 5,
        }
    )
    queries = ["ULCERA GASTRICA", "litiasis", "tos o u\u0301lcera"]
    found = system.search(queries, table, {}, Context(), 2)
    assert [ranking[0][0] for ranking in found] == ["K25", "N20", "R05"]
    assert found == [
        [(code, pytest.approx(value)) for code, value in ranking]
        for ranking in literal_rankings(table["text"].to_list(), table["code"].to_list(), queries, 2)
    ]
    assert system.search(queries, table, {"b": 0.0}, Context(), 2) != found
