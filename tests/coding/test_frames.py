"""Frames on disk."""

import polars as pl
import pytest

from clinbench.coding import frames
from clinbench.errors import UserError

AWKWARD = ["NA", "null", "", "0389", '5" tall', "'q'", "1e3", "niño \u2028 x", " edge ", "True"]


def test_every_cell_comes_back_as_the_same_string(tmp_path):
    frame = pl.DataFrame(
        {"code": AWKWARD, "text": AWKWARD[::-1], "n": [str(at) for at in range(len(AWKWARD))]}
    )
    frames.write_frame(tmp_path / "a.tsv", frame)
    assert frames.read_frame(tmp_path / "a.tsv").equals(frame)


def test_bom_and_crlf_are_read(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"\xef\xbb\xbfa\tb\r\n1\t2\r\n")
    assert frames.read_frame(tmp_path / "a.tsv").rows() == [("1", "2")]


def test_empty_frame_keeps_its_columns(tmp_path):
    frames.write_frame(tmp_path / "a.tsv", frames.queries_frame([]))
    assert tuple(frames.read_frame(tmp_path / "a.tsv", frames.QUERIES).columns) == frames.QUERIES


def test_what_cannot_be_written_is_named(tmp_path):
    frame = pl.DataFrame({"a": ["x", "y\tz", None]})
    with pytest.raises(UserError, match=r"(?s)row 2, column 'a'.*row 3, column 'a': None"):
        frames.write_frame(tmp_path / "a.tsv", frame)
    assert not list(tmp_path.iterdir())


def test_reading_mistakes_are_named(tmp_path):
    file = tmp_path / "a.tsv"
    with pytest.raises(UserError, match="no such file"):
        frames.read_frame(file)
    file.write_text("a\tb\n1\t2\n3\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 3: 1 column"):
        frames.read_frame(file)
    with pytest.raises(UserError, match="expected code, text, lang, source"):
        frames.read_frame(file, frames.TABLE)
    file.write_bytes("a\tb\n1\tn\xf3\n".encode("latin-1"))
    with pytest.raises(UserError, match="line 2: byte 0xf3 is not UTF-8"):
        frames.read_frame(file)


def test_a_benchmark_that_tests_nothing_is_refused():
    row = ("1", "train", "tos", "R05", "d", "es")
    frames.require_test(frames.queries_frame([row, ("2", "test", *row[2:])]), "mine")
    with pytest.raises(UserError, match="mine: none of its 1 mentions is of the split 'test'"):
        frames.require_test(frames.queries_frame([row]), "mine")


def test_table_is_sorted_and_free_of_repeated_rows():
    rows = [
        ("B00", "z", "en", "s"),
        ("A00", "b", "en", "s"),
        ("A00", "a", "en", "s"),
        ("B00", "z", "en", "s"),
    ]
    assert [row[:2] for row in frames.table_frame(rows).rows()] == [("A00", "b"), ("A00", "a"), ("B00", "z")]
    with pytest.raises(UserError, match="empty"):
        frames.table_frame([])


def test_queries_are_checked():
    rows = [
        ("1", "train", "x", "A00", "d", "es"),
        ("1", "test", "y", "A00", "d", "es"),
        ("2", "dev", "y", "A00", "d", "es"),
        ("3", "val", "  ", "A00", "d", "es"),
    ]
    with pytest.raises(
        UserError, match=r"(?s)'1' occurs more than once.*split 'dev'.*'3': the mention is empty"
    ):
        frames.queries_frame(rows)
