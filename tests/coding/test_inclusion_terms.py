"""Inclusion terms as queries, on a small made-up tabular list in place of the package's."""

import sys
from types import SimpleNamespace

import polars as pl
import pytest

from clinbench.coding.benchmarks import icd10cm_inclusion_terms as benchmark
from clinbench.coding.frames import QUERIES, table_frame
from clinbench.errors import UserError

CATEGORIES = [f"{letter}{number:02d}" for letter in "AIJ" for number in range(40)]
TERMS = {
    "A00": ["Red  plague", "plague of A00"],
    "A00.1": ["Green plague", "PLAGUE of I03", "Shared words"],
    "I03": ["Shared Words", "Blue plague", "blue plague"],
} | {f"{category}.5": [f"{category} five", f"five of {category}"] for category in CATEGORIES}


@pytest.fixture(autouse=True)
def tabular_list(monkeypatch):
    fake = SimpleNamespace(
        is_valid_item=lambda code: code in TERMS or code in CATEGORIES,
        get_inclusion_term=lambda code: TERMS.get(code, []),
    )
    monkeypatch.setitem(sys.modules, "simple_icd_10_cm", fake)


def table(codes=(*CATEGORIES, *TERMS)):
    return table_frame([(code, f"Plague of {code}", "en", "made up") for code in dict.fromkeys(codes)])


def test_terms_become_queries_and_unusable_ones_are_counted():
    frame, info = benchmark.load({}, {}, table())
    assert tuple(frame.columns) == QUERIES
    rows = {row["query_id"]: row for row in frame.iter_rows(named=True)}
    assert rows["A00#1"]["query"] == "Red plague" and rows["A00#1"]["code"] == rows["A00#1"]["doc"] == "A00"
    assert rows["A00.1#1"]["code"] == "A00.1" and rows["A00.1#1"]["doc"] == "A00"
    assert info["dropped"] == {
        "own_description": 1,
        "other_description": 1,
        "several_codes": 2,
        "repeated": 1,
    }
    assert not {"A00#2", "A00.1#2", "A00.1#3", "I03#1", "I03#3"} & set(rows) and "I03#2" in rows
    assert info["terms"] == frame.height + 5 == 248
    assert (
        info["queries_by_chapter"] == {"1": 82, "9": 81, "10": 80}
        and info["pool"] == table()["code"].n_unique()
    )


def test_categories_are_never_in_two_splits_and_splits_do_not_depend_on_the_table():
    options = {"validation_fraction": 0.25, "test_fraction": 0.25}
    frame, _ = benchmark.load({}, options, table())
    homes = frame.group_by("doc").agg(pl.col("split").unique())
    assert all(len(splits) == 1 for splits in homes["split"])
    shares = {
        split: len(docs) for split, docs in frame.group_by("split").agg(pl.col("doc").unique()).iter_rows()
    }
    assert 15 <= shares["val"] <= 45 and 15 <= shares["test"] <= 45 and shares["train"] >= 40
    # Pinned: a hash salted per process would give each machine another split.
    pinned = {"J00": "test", "J01": "val", "J02": "train", "J03": "val", "J04": "train", "J05": "test"}
    homes = dict(frame.select("doc", "split").iter_rows())
    assert {doc: homes[doc] for doc in pinned} == pinned
    part, _ = benchmark.load({}, options, table([code for code in (*CATEGORIES, *TERMS) if code[0] == "I"]))
    whole = dict(frame.select("query_id", "split").iter_rows())
    assert all(
        whole.get(query_id, split) == split
        for query_id, split in part.select("query_id", "split").iter_rows()
    )


def test_chapters_restrict_the_queries_but_not_the_pool():
    frame, info = benchmark.load({}, {"chapters": [10]}, table())
    assert set(frame["code"].str.slice(0, 1)) == {"J"} and frame.height == 80
    assert info["pool"] == table()["code"].n_unique()


def test_codes_of_another_edition_have_no_terms():
    frame, _ = benchmark.load({}, {}, table([*TERMS, "Z99.99"]))
    assert "Z99.99" not in set(frame["code"])


@pytest.mark.parametrize(
    ("options", "codes", "message"),
    [
        ({"validation_fraction": 0.5, "test_fraction": 0.5}, [*TERMS], "must stay below 1"),
        ({"chapters": [9, 4]}, [*TERMS], "no code of chapter.s. 4"),
        ({}, ["Z99.99"], "No inclusion term is left"),
    ],
)
def test_mistakes_are_named(options, codes, message):
    with pytest.raises(UserError, match=message):
        benchmark.load({}, options, table(codes))
