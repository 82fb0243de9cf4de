import numpy as np
import polars as pl
import pytest

from clinbench.coding.frames import TABLE
from clinbench.coding.rerank import rerank
from clinbench.errors import UserError

HALF = np.log(0.5)
LOGITS = {"a": 5.0, "b": -3.0, "c": -3.0, "d": 0.5, "e": 9.0}


@pytest.fixture
def texts():
    rows = [("A00", "b"), ("A00", "d"), ("A01", "a"), ("A02", "c"), ("A03", "b"), ("A04", "e"), ("A05", "e")]
    rows = [(code, text, "en", "made") for code, text in rows]
    return pl.DataFrame(rows, schema=dict.fromkeys(TABLE, pl.String), orient="row")


def ranking(*codes):
    return [(code, 1.0 - at / 10) for at, code in enumerate(codes)]


def test_best_text_counts_ties_by_code_and_tail_follows(texts):
    calls = []

    def score(pairs):
        calls.append(pairs)
        return np.array([LOGITS[text] for _, text in pairs], dtype=np.float32)

    first = [ranking("A03", "A02", "A00", "A01", "A05", "A04"), ranking("A04", "A03"), []]
    found = rerank(["x", "x", "y"], texts, first, score, shortlist=4, depth=6)
    assert found[0] == [
        ("A01", 5.0),
        ("A00", 0.5),
        ("A02", -3.0),
        ("A03", pytest.approx(-3.0 + HALF)),  # its text is another code's, too
        ("A05", pytest.approx(-4.0 + HALF)),
        ("A04", pytest.approx(-5.0 + HALF)),
    ]
    assert found[1] == [("A04", pytest.approx(9.0 + HALF)), ("A03", pytest.approx(-3.0 + HALF))]
    assert found[2] == []
    assert len(calls) == 1 and len(set(calls[0])) == len(calls[0]) == 5


def test_a_run_file_gives_the_order_back(texts):
    first = [ranking("A03", "A02", "A00", "A01", "A05", "A04")]
    found = rerank(["x"], texts, first, lambda pairs: np.float32([LOGITS[text] for _, text in pairs]), 2, 6)[
        0
    ]
    assert sorted(found, key=lambda item: (-item[1], item[0])) == found
    assert [code for code, _ in found[2:]] == ["A00", "A01", "A05", "A04"]


def test_depth_cuts(texts):
    first = [ranking("A03", "A02", "A00", "A01")]
    found = rerank(["x"], texts, first, lambda pairs: np.zeros(len(pairs), np.float32), 3, 2)
    assert found == [[("A00", 0.0), ("A02", 0.0)]]


def test_what_does_not_fit_is_named(texts):
    for first in (None, [ranking("A00")]):
        with pytest.raises(UserError, match="one first-stage ranking per query"):
            rerank(["x", "y"], texts, first, None, 3, 2)
    with pytest.raises(UserError, match="'Q99'"):
        rerank(["x"], texts, [ranking("A00", "Q99")], None, 3, 2)


def test_the_closest_text_of_each_code_may_be_scored_alone():
    rows = [("A00", "Cholera", "en", "cm"), ("A00", "Cólera", "es", "who"), ("A01", "Typhoid", "en", "cm")]
    table = pl.DataFrame(rows, schema=["code", "text", "lang", "source"], orient="row")
    asked = []

    def score(pairs):
        asked.extend(pairs)
        return np.arange(len(pairs), dtype=np.float32)

    first = [[("A00", 2.0), ("A01", 1.0)]] * 2
    found = rerank(["colera grave", "holera"], table, first, score, 2, 10, closest=True)
    assert asked == [
        ("colera grave", "Cólera"),
        ("colera grave", "Typhoid"),
        ("holera", "Cholera"),
        ("holera", "Typhoid"),
    ]
    assert [code for code, _ in found[0]] == ["A01", "A00"]


@pytest.mark.parametrize("closest", [False, True])
def test_a_string_with_several_codes_speaks_for_the_one_annotators_gave_it(closest):
    rows = [
        ("A49.9", "ITU", "es", "mentions"),
        ("N39.0", "ITU", "es", "mentions"),
        ("R05", "tos", "es", "who"),
    ]
    table = pl.DataFrame(rows, schema=["code", "text", "lang", "source"], orient="row")
    mentions = pl.DataFrame(
        {"query": ["ITU", "itu", "Itu", "ITU"], "code": ["N39.0", "N39.0", "N39.0", "A49.9"]}
    )
    first = [[("A49.9", 3.0), ("N39.0", 2.0), ("R05", 1.0)]]

    def score(pairs):
        return np.array([0.5 if text == "ITU" else 0.1 for _, text in pairs], dtype=np.float32)

    (found,) = rerank(["ITU"], table, first, score, 3, 3, closest, mentions)
    assert [code for code, _ in found] == ["N39.0", "R05", "A49.9"]
    assert [score for _, score in found] == pytest.approx([0.5 + np.log(0.75), 0.1, 0.5 + np.log(0.25)])
