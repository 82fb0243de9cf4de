"""A user's mentions and the codes they are given."""

import pytest

from clinbench.coding.coded import CODED, coded_frame, read_mentions
from clinbench.coding.frames import table_frame
from clinbench.errors import UserError


def test_mentions_keep_their_lines_and_need_no_other_column(tmp_path):
    path = tmp_path / "mentions.csv"
    path.write_text('id;query;lang\n7;"tos;  seca";es\n8;fiebre;\n', encoding="utf-8")
    frame = read_mentions(path)
    assert frame["query_id"].to_list() == ["line:2", "line:3"]
    assert frame["query"].to_list() == ["tos; seca", "fiebre"]
    assert frame["lang"].to_list() == ["es", ""] and frame["doc"].to_list() == ["line:2", "line:3"]
    path.write_text("query\ncough\n", encoding="utf-8")
    assert read_mentions(path)["query"].to_list() == ["cough"]


def test_unusable_mentions_are_named(tmp_path):
    path = tmp_path / "mentions.tsv"
    path.write_text("query\tdoc\ncough\ta\n \tb\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 3: the mention is empty"):
        read_mentions(path)
    path.write_text("mention\ncough\n", encoding="utf-8")
    with pytest.raises(UserError, match="no column 'query'"):
        read_mentions(path)


def test_every_mention_has_its_rows(tmp_path):
    path = tmp_path / "mentions.tsv"
    path.write_text("query\ncough\nxyz\ncough\n", encoding="utf-8")
    rows = [("R05", "Cough", "en", "a"), ("R05", "Coughing", "en", "b"), ("J20", "Bronchitis", "en", "a")]
    found = [("R05", 2.0), ("J20", 1 / 3)]
    frame = coded_frame(read_mentions(path), [found, [], found[:1]], table_frame(rows), ranks=2)
    assert tuple(frame.columns) == CODED
    assert frame.rows() == [
        ("line:2", "cough", "1", "R05", "Cough", "2"),
        ("line:2", "cough", "2", "J20", "Bronchitis", "0.333333"),
        ("line:3", "xyz", "", "", "", ""),
        ("line:4", "cough", "1", "R05", "Cough", "2"),
    ]
    with pytest.raises(UserError, match="3 mentions, but 1 rankings"):
        coded_frame(read_mentions(path), [found], table_frame(rows), ranks=2)
