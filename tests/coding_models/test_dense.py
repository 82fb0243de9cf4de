import math

import numpy as np
import polars as pl
import pytest

from clinbench.coding import dense
from clinbench.coding.context import Context
from clinbench.coding.dense import search_dense
from clinbench.coding.frames import TABLE
from clinbench.coding.load import encode, load_encoder
from clinbench.coding.systems import dense as system
from clinbench.coding.text import fold
from clinbench.coding.voting import AllTexts, all_texts, tally
from clinbench.errors import UserError


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def brute_force(queries, texts, codes, depth):
    found = []
    for query in queries:
        best = {}
        for text, code in zip(texts, codes, strict=True):
            score = float(np.dot(query.astype(np.float64), text.astype(np.float64)))
            best[code] = max(best.get(code, -9), score)
        found.append(sorted(best.items(), key=lambda item: (-round(item[1], 5), item[0]))[:depth])
    return found


@pytest.mark.parametrize("depth", [1, 5, 17, 1000])
@pytest.mark.parametrize("block", [1, 100, 10**6])
def test_equals_brute_force_with_ties(monkeypatch, depth, block):
    monkeypatch.setattr(dense, "BLOCK", block)
    rng = np.random.default_rng(0)
    texts = unit(rng.normal(size=(60, 8)))
    texts[30:50] = texts[7]  # twenty codes with one text: exact ties across the cut
    codes = [f"C{at:02d}" for at in rng.permutation(60) % 45]  # some codes have two texts
    queries = np.concatenate([unit(rng.normal(size=(9, 8))), texts[7:8]])
    expected = brute_force(queries, texts, codes, depth)
    found = search_dense(queries, texts, codes, depth)
    assert [[code for code, _ in ranking] for ranking in found] == [[code for code, _ in r] for r in expected]
    for ranking, truth in zip(found, expected, strict=True):
        np.testing.assert_allclose([score for _, score in ranking], [score for _, score in truth], atol=1e-5)


def test_equal_texts_tie_exactly_wherever_they_stand():
    rng = np.random.default_rng(1)
    texts = unit(rng.normal(size=(333, 384)))
    texts[[5, 100, 331, 332]] = texts[5]
    codes = [f"C{at:03d}" for at in range(333)]
    queries = np.repeat(texts[5:6], 7, axis=0)
    for ranking in search_dense(queries, texts, codes, 4):
        assert [code for code, _ in ranking] == ["C005", "C100", "C331", "C332"]
        assert len({score for _, score in ranking}) == 1


def test_wrong_shapes_are_named():
    with pytest.raises(UserError, match="different encoders"):
        search_dense(np.ones((1, 4), np.float32), np.ones((2, 3), np.float32), ["A00", "A01"], 1)
    with pytest.raises(UserError, match="2 embeddings for 1 texts"):
        search_dense(np.ones((1, 3), np.float32), np.ones((2, 3), np.float32), ["A00"], 1)


def test_no_queries():
    assert search_dense(np.ones((0, 3), np.float32), np.ones((2, 3), np.float32), ["A00", "A01"], 1) == []


def test_system_finds_a_description_by_itself(encoder_folder, table):
    more = pl.DataFrame([("A03", "quite another word", "en", "made")], schema=TABLE, orient="row")
    both = pl.concat([table, more])
    vectors = encode(load_encoder(encoder_folder, "cpu"), both["text"].to_list())
    context = Context(encoder=encoder_folder, embeddings=vectors)
    queries = [table["text"][9], "quite another word"]
    found = system.search(queries, both, {}, context, depth=3)
    assert [ranking[0][0] for ranking in found] == ["A09", "A03"]
    assert all(len({code for code, _ in ranking}) == 3 for ranking in found)
    without = system.search(queries, both, {}, Context(encoder=encoder_folder), depth=3)
    assert without == found


def test_stale_embeddings_are_refused(encoder_folder, table):
    vectors = encode(load_encoder(encoder_folder, "cpu"), table["text"].to_list())
    for wrong in (vectors[::-1].copy(), vectors[:-1], vectors[:, :-1]):
        with pytest.raises(UserError, match="Encode"):
            system.search(["x"], table, {}, Context(encoder=encoder_folder, embeddings=wrong), depth=3)


def test_mentions_at_the_end_are_encoded_here(encoder_folder, table):
    vectors = encode(load_encoder(encoder_folder, "cpu"), table["text"].to_list())
    more = pl.DataFrame([("Z99", "sore knee", "en", "mentions")], schema=table.schema, orient="row")
    joined = pl.concat([table, more])
    context = Context(encoder=encoder_folder, embeddings=vectors)
    found = system.search(["sore knee"], joined, {}, context, depth=3)
    assert found == system.search(["sore knee"], joined, {}, Context(encoder=encoder_folder), depth=3)
    assert found[0][0][0] == "Z99"


def test_texts_vote_as_a_literal_sum_says():
    rows = [("A00", "cólera", "es", "who"), ("A00", "x", "es", "who"), ("A01", "tifus", "es", "who")]
    rows += [
        ("A01", "Cólera", "es", "mentions"),
        ("A00", "cólera", "es", "mentions"),
        ("B02", "tos", "en", "who"),
    ]
    table = pl.DataFrame(rows, schema=["code", "text", "lang", "source"], orient="row")
    mentions = pl.DataFrame({"query": ["Cólera", "COLERA", "cólera"], "code": ["A01", "A01", "A00"]})
    rng = np.random.default_rng(0)
    cosines = rng.uniform(-1, 1, len(rows)).astype(np.float32)
    found = dict(AllTexts(table, mentions, 4.0).rank(cosines, 10))
    counts = {("colera", "A01"): 2, ("colera", "A00"): 1}
    for code in ("A00", "A01", "B02"):
        vote = 0.0
        for (of, text, *_), cosine in zip(rows, cosines, strict=True):
            alike = sum((of, fold(text)) == (other[0], fold(other[1])) for other in rows)
            if of == code:
                weight = 1 + math.log(counts.get((fold(text), of), 1))
                vote += weight / alike * max(float(cosine), 0) ** 4
        assert found.get(code, 0.0) == pytest.approx(vote**0.25, abs=1e-9)


def test_a_high_power_is_the_best_text_and_ties_go_to_what_annotators_said_more():
    codes = ["A00", "A00", "A01", "B02"]
    table = pl.DataFrame(
        [(code, text, "en", "mentions") for code, text in zip(codes, ["a", "b", "a", "c"], strict=True)],
        schema=["code", "text", "lang", "source"],
        orient="row",
    )
    mentions = pl.DataFrame({"query": ["a", "a", "a", "b", "c"], "code": ["A00", "A01", "A01", "A00", "B02"]})
    query, texts = np.float32([[1, 0]]), np.float32([[1, 0], [0, 1], [1, 0], [0.6, 0.8]])
    best = search_dense(query, texts, codes, 3)[0]
    voted = search_dense(query, texts, codes, 3, all_texts(table, mentions, 200.0))[0]
    assert [code for code, _ in best] == ["A00", "A01", "B02"] and best[0][1] == best[1][1]
    assert [code for code, _ in voted] == ["A01", "A00", "B02"]
    assert [score for _, score in voted] == pytest.approx([1, 1, 0.6], abs=0.01)
    assert all_texts(table, mentions, None) is None


def test_a_very_sharp_vote_ranks_what_is_far_from_the_query_too():
    table = pl.DataFrame(
        [(code, code, "en", "who") for code in ("A00", "A01", "B02", "C03")],
        schema=["code", "text", "lang", "source"],
        orient="row",
    )
    found = AllTexts(table, None, 100_000.0).rank(np.float32([0.02, 0.3, 0.04, -0.1]), 10)
    assert [code for code, _ in found] == ["A01", "B02", "A00"]  # no vote, no answer
    assert [score for _, score in found] == pytest.approx([0.3, 0.04, 0.02])
    near = [({"A00": 1.0}, 0.02), ({"A01": 1.0, "B02": 2.0}, 0.3), ({"C03": 1.0}, -0.1)]
    assert [code for code, _ in tally(near, 100_000.0, 10)] == ["B02", "A01", "A00"]
