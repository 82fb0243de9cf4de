"""Rows, fields and quotes of CSV text, against Python's csv module."""

import csv
import io

import numpy as np
import pytest

from clinbench.cohorts.csv_rows import all_have, find_rows, last_row_end, misplaced_quote

FIELDS = ("", "1", "a b", "x,y", 'say ""no""', "two\nlines", ",", '""', "\n", "é")


def made(seed, width=3, count=20):
    """Return CSV text with some quoted fields, blank lines and rows that are too long, and its true rows."""
    rng = np.random.default_rng(seed)
    text, rows, line = "", [], 0
    for _ in range(count):
        kind = rng.random()
        fields = [str(rng.choice(FIELDS)) for _ in range(width + (kind > 0.95))]
        plain = [one if not {*one} & {*',"\n'} and rng.random() < 0.7 else f'"{one}"' for one in fields]
        row = "" if 0.8 < kind < 0.9 else ",".join(plain)
        rows.append((len(text.encode()), line, 1 if row == "" else len(fields)))
        text += row + "\n"
        line = text.count("\n")
    return text.encode(), rows


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_those_of_the_csv_module(seed):
    text, rows = made(seed)
    found = find_rows(text)
    assert [*zip(found.starts[:-1], found.lines, found.fields, strict=True)] == rows
    parsed = [*csv.reader(io.StringIO(text.decode(), newline=""))]
    assert [len(one) or 1 for one in parsed] == found.fields.tolist()
    assert found.blank.tolist() == [not one for one in parsed]
    kept = [*csv.reader(io.StringIO(found.without_blank(text).decode(), newline=""))]
    assert kept == [one for one in parsed if one]
    assert all_have(text, 3) == all(len(one) == 3 for one in parsed)
    assert misplaced_quote(text) is None


def test_a_row_too_short_and_one_too_long_are_no_balance():
    assert all_have(b"a,b,c\nd,e,f\n", 3) and all_have(b'a,"b,\n",c\n', 3) and all_have(b"", 3)
    for text in (b"a,b\nc,d,e,f\n", b"a,b,c,d,e,f\n", b"a\nb\nc\n", b'"a,b",c\nd,e,f,g\n'):
        assert not all_have(text, 3)


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        (b"a,5'6\",c\n", 0),
        (b"a,b\nc,5'6\"\nd,5'7\"\n", 1),
        (b'a,"b"\nc,"d\ne,"f",g\n', 1),
        (b'a,"b"c\n', 0),
        (b'a,b\n"c,d\ne,f\n', 1),
        (b'"a""b",c\r\n"",""""\n"x"\r\n', None),
    ],
)
def test_quotes_out_of_place(text, breaks):
    assert misplaced_quote(text) == breaks


def test_the_last_row_end_is_outside_quotes():
    for data in (b'a,b\nc,"d\ne', b'a,b\n"c\n\n', b'a,b\n"c","d\n"",\n'):
        assert last_row_end(data) == 4
    assert last_row_end(b'"a\n') == last_row_end(b"ab") == 0 and last_row_end(b'"a\n"\nb') == 5
