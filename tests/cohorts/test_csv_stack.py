"""Many CSV files parsed as one."""

import pytest

from clinbench.archives import Member
from clinbench.cohorts.csv_stack import stack_csv
from clinbench.errors import UserError


def members(*texts):
    return [Member(f"{i}.csv", f"/x/{i}.csv", text.encode("utf-8")) for i, text in enumerate(texts)]


def test_columns_by_name_rows_in_order():
    stack = stack_csv(
        members("a,b,c\n1,2,3\n4,5,\n", "c,a,b\r\n9,7,8\r\n", "\ufeffa,b\n", "a,b\n10,None"), ["a", "b"]
    )
    assert stack.frame.rows() == [("1", "2"), ("4", "5"), ("7", "8"), ("10", "None")]
    assert stack.file.tolist() == [0, 0, 1, 3] and stack.line.tolist() == [2, 3, 2, 2]
    assert stack.place(1) == "/x/0.csv, line 3" and stack.ignored == {"c": 2}


def test_files_of_different_headers_keep_their_order():
    stack = stack_csv(members("a,b\n1,2\n", "b,a\n4,3\n", "a,b\n5,6\n7,8\n"), ["a", "b"])
    assert stack.frame["a"].to_list() == ["1", "3", "5", "7"] and stack.file.tolist() == [0, 1, 2, 2]


def test_quoted_fields_are_read_as_they_mean():
    text = '"a","b"\n"1","x, ""y""\nz"\n,""\n\n"3",4\n'
    stack = stack_csv(members(text, "a,b\n5,6\n", 'a,b\r\n7,"8"\r\n'), ["a", "b"])
    assert stack.frame.rows() == [("1", 'x, "y"\nz'), (None, None), ("3", "4"), ("5", "6"), ("7", "8")]
    assert stack.line.tolist() == [2, 4, 6, 2, 2] and stack.file.tolist() == [0, 0, 0, 1, 2]


def test_blank_lines_are_passed_over():
    stack = stack_csv(members("a,b\n\n1,2\n \n\n3,4\n\n", "a,b\n\n"), ["a", "b"])
    assert stack.frame.rows() == [("1", "2"), ("3", "4")] and stack.line.tolist() == [3, 6]
    assert stack_csv(members("a\n\n5\n\n6\n"), ["a"]).line.tolist() == [3, 5]


def test_files_with_a_header_only():
    assert stack_csv(members("a,b\n", "a,b"), ["b"]).frame.shape == (0, 1)


def test_bytes_that_are_not_utf8_do_not_stop_the_reader():
    stack = stack_csv([Member("x", "/x", b"a,b\n1,caf\xe9\n")], ["a", "b"])
    assert stack.frame["b"][0] == "caf\ufffd"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a,b\n1,2\n", "a,b\n1,2\n1\n"], "/x/1.csv, line 3: 1 fields where the header has 2"),
        (["a,b\n1,2,3\n"], "/x/0.csv, line 2: 3 fields"),
        (["a,b\n1,2,3\n4\n"], "/x/0.csv, line 3: 1 fields"),
        (["a,b\n1,2\n\n3\n"], "/x/0.csv, line 4: 1 fields"),
        (["a,b\n1,2\n", 'a,b\n1,"2"\n3,5\'6"\n'], "/x/1.csv, line 3: a quotation mark"),
        (['a,b\n1,2\n3,"4\n5,6\n', "a,b\n"], "/x/0.csv, line 3: a quotation mark"),
        (['a,b\n"1,2",3\n"4,5"\n'], "/x/0.csv, line 3: 1 fields"),
        (["a;b\n1;2\n"], "/x/0.csv, line 1: the header has no column 'a' .it has: a;b."),
        (["a,b,a\n1,2,3\n"], "the header has column 'a' twice"),
        (["a,b\n", ""], "/x/1.csv, line 1: the file is empty"),
    ],
)
def test_mistakes_are_placed(texts, message):
    with pytest.raises(UserError, match=message):
        stack_csv(members(*texts), ["a", "b"])
