"""What a system may answer and read: pools, sources, mentions as texts, gold cells."""

import numpy as np
import pytest

from clinbench.coding.codes import parse
from clinbench.coding.frames import queries_frame, table_frame
from clinbench.coding.gold import alternatives, spelling
from clinbench.coding.pool import candidates, pool_of
from clinbench.errors import UserError

TABLE = table_frame(
    [
        ("A00", "cholera", "en", "english"),
        ("A00", "cólera", "es", "spanish"),
        ("I10", "high pressure", "en", "english"),
        ("I11.0", "heart", "en", "english"),
        ("I20", "angina", "en", "english"),
        ("R05", "tos", "es", "spanish"),
    ]
)
QUERIES = queries_frame(
    [
        ("1", "train", "cólera", "A00", "d1", "es"),
        ("2", "val", "tos", "R05", "d2", "es"),
        ("3", "test", "presión", "I10-I15.9", "d3", "es"),
        ("4", "test", "nada", "Z99", "d3", "es"),
    ]
)


def test_pools():
    assert pool_of(TABLE, QUERIES, QUERIES, "full") == {"A00", "I10", "I11.0", "I20", "R05"}
    assert pool_of(TABLE, QUERIES, QUERIES, "gold_union") == {"A00", "I10", "I11.0", "R05"}
    assert pool_of(TABLE, QUERIES, QUERIES, "train_gold") == {"A00", "R05"}
    other = queries_frame([("9", "train", "angina", "I20", "d", "es")])
    assert pool_of(TABLE, QUERIES, other, "gold_union") == {"A00", "I10", "I11.0", "I20", "R05"}
    with pytest.raises(UserError, match="choose from full"):
        pool_of(TABLE, QUERIES, QUERIES, "some")
    with pytest.raises(UserError, match="is empty"):
        pool_of(TABLE, QUERIES, QUERIES.filter(QUERIES["code"] == "Z99"), "train_gold")


def test_embeddings_follow_their_rows():
    vectors = np.arange(12, dtype=np.float32).reshape(6, 2)
    side = candidates(TABLE, vectors, {"A00", "R05", "I20"}, sources=["spanish"])
    assert side.table.select("code", "text").rows() == [("A00", "cólera"), ("R05", "tos")]
    np.testing.assert_array_equal(side.embeddings, vectors[[1, 5]])
    assert side.mentions is None


def test_mentions_are_joined_at_the_end_or_only_handed_over():
    seen = QUERIES.filter(QUERIES["split"] != "test")
    side = candidates(TABLE, None, {"A00", "I10"}, seen, join=True)
    assert side.table.rows()[-1] == ("A00", "cólera", "es", "mentions")
    assert side.table.height == 4 and side.mentions["query"].to_list() == ["cólera"]
    apart = candidates(TABLE, None, {"A00", "I10"}, seen)
    assert apart.table.height == 3 and apart.mentions.equals(side.mentions)


def test_unknown_sources_and_empty_pools_are_named():
    with pytest.raises(UserError, match="no texts of latin; its sources: english, spanish"):
        candidates(TABLE, None, {"A00"}, sources=["latin", "english"])
    with pytest.raises(UserError, match="No text"):
        candidates(TABLE, None, {"Z00"})


@pytest.mark.parametrize(
    ("written", "cell", "accepted"),
    [
        ("i10", "I10", ("I10",)),
        ("n15.9+n17.0", "N15.9+N17.0", ("N15.9", "N17.0")),
        ("I10-I15.9", "I10-I15.9", ("I10", "I11.0", "I15.9")),
        ("I20-I20", "I20-I20", ("I20",)),
        ("I11-I15", "I11-I15", ("I11", "I11.0", "I15.9")),  # its first category counts without being there
    ],
)
def test_gold_cells(written, cell, accepted):
    assert spelling(parse(written)) == cell
    assert alternatives(cell, ["I16", "I15.9", "I11.0", "I10", "I20"]) == accepted


def test_no_code_is_no_gold():
    with pytest.raises(UserError, match="no ICD-10 code"):
        spelling(parse("NA"))
