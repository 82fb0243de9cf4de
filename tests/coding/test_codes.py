"""Codes: spelling, placeholders, levels."""

import pytest

from clinbench.coding import codes
from clinbench.errors import UserError


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("i10 ", "I10"),
        ("I10.", "I10"),
        ("I 10", "I10"),
        ("\u0399\u0031\u0030", "I10"),  # Greek iota
        ("\u0421\u0035\u0030.1", "C50.1"),  # Cyrillic es
        ("\ufeffI10\u00a0", "I10"),
        ("Ｉ１０", "I10"),
        ("s2249xa", "S22.49XA"),
        ("S22.49XA", "S22.49XA"),
        ("r40.2421", "R40.2421"),
        ("M45X", "M45.X"),
        ("w19.xxx", "W19.XXX"),
        ("z3a", "Z3A"),
        ("c7a.00", "C7A.00"),
        ("M45.-", "M45"),
        ("A17.0†", "A17.0"),
        ("G63.2*", "G63.2"),
    ],
)
def test_one_code_in_many_spellings(written, canonical):
    assert codes.normalise(written) == canonical
    assert codes.normalise(canonical) == canonical
    assert codes.parse(canonical).changes == ()
    assert bool(codes.parse(written).changes) == (written != canonical)


def test_changes_are_reported_one_by_one():
    assert codes.parse(" i10. ").changes == ("upper-cased", "blanks removed", "dot corrected")
    assert codes.parse("\u039910").changes == ("Greek or Cyrillic letters replaced",)
    assert codes.parse("A00+").changes == ("empty join removed",)
    assert codes.parse("I15-I10").changes == ("ends of the range exchanged",)
    assert codes.parse("A00 R05").changes == ("blank read as a join",)


@pytest.mark.parametrize(
    ("written", "kind", "found"),
    [
        ("I10-I15.9", "range", ("I10", "I15.9")),
        ("i10 – i15.9", "range", ("I10", "I15.9")),
        ("B20-B20", "range", ("B20", "B20")),
        ("A00+b991", "multi", ("A00", "B99.1")),
        ("A00|B99.1|C00", "multi", ("A00", "B99.1", "C00")),
        ("A00+", "single", ("A00",)),
        ("A00 R05", "multi", ("A00", "R05")),
        ("a00.1\u00a0r05 S2239XA", "multi", ("A00.1", "R05", "S22.39XA")),
        ("A17.0† G01*", "multi", ("A17.0", "G01")),
        ("S22 39XA", "single", ("S22.39XA",)),
        ("W19 XXX", "single", ("W19.XXX",)),
        ("I15-I10", "range", ("I10", "I15")),
        ("I10 - I15", "range", ("I10", "I15")),
        ("I10-I15-I20", "invalid", ()),
        ("1.47E+016", "invalid", ()),
        ("3.00E+05", "invalid", ()),
        ("3e02329", "invalid", ()),
        ("0389", "invalid", ()),
        ("i1.0", "invalid", ()),
        ("A00.12345", "invalid", ()),
        ("NA", "invalid", ()),
        ("", "invalid", ()),
        ("+", "invalid", ()),
    ],
)
def test_ranges_joins_and_junk(written, kind, found):
    assert codes.parse(written)[:2] == (kind, found)
    if kind != "single":
        with pytest.raises(UserError):
            codes.normalise(written)


def test_messages_say_what_happened_to_a_code():
    with pytest.raises(UserError, match="range of codes .I10, I15.9."):
        codes.normalise("I10-I15.9")
    with pytest.raises(UserError, match="spreadsheet"):
        codes.normalise("3.00E+05")
    with pytest.raises(UserError, match="ICD-9"):
        codes.normalise("0389")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("S22.39X", "S22.39"),
        ("W19.XXX", "W19"),
        ("M45.X", "M45"),
        ("S22.3XX", "S22.3X"),  # the longest known form wins
        ("T14.XA", "T14.XA"),  # no X at the end
        ("T88.X", "T88.X"),  # not known stripped either
        ("T50.0X", "T50.0X"),  # known as written
        ("S22.39", "S22.39"),
        ("S22", "S22"),
    ],
)
def test_placeholder_is_stripped_only_towards_a_known_code(code, expected):
    known = {"S22.39", "W19", "M45", "S22.3X", "S22.3", "T50.0X", "T50.0"}
    assert codes.strip_placeholder(code, known) == expected


CM = {  # first and last category of every chapter
    1: ("A00", "B99"),
    2: ("C00", "D49"),
    3: ("D50", "D89"),
    4: ("E00", "E89"),
    5: ("F01", "F99"),
    6: ("G00", "G99"),
    7: ("H00", "H59"),
    8: ("H60", "H95"),
    9: ("I00", "I99"),
    10: ("J00", "J99"),
    11: ("K00", "K95"),
    12: ("L00", "L99"),
    13: ("M00", "M99"),
    14: ("N00", "N99"),
    15: ("O00", "O9A"),
    16: ("P00", "P96"),
    17: ("Q00", "QA0"),
    18: ("R00", "R99"),
    19: ("S00", "T88"),
    20: ("V00", "Y99"),
    21: ("Z00", "Z99"),
    22: ("U00", "U85"),
}


@pytest.mark.parametrize("number", CM)
def test_chapter_bounds(number):
    for category in CM[number]:
        assert codes.level(f"{category}.1", "chapter") == str(number)


def test_levels():
    assert codes.level("S22.39XA", "exact") == "S22.39XA"
    assert codes.level("S22.39XA", "category") == "S22"
    assert codes.level("D3A.0", "category") == "D3A"
    assert codes.level("D3A.0", "chapter") == "2"
    assert codes.level("Z3A.01", "chapter") == "21"
    assert codes.level("C7A", "chapter") == "2"
    with pytest.raises(UserError, match="No level"):
        codes.level("I10", "block")


def test_editions_differ_and_the_other_is_named():
    assert codes.level("E90", "chapter", "who") == "4"
    assert codes.level("T98.3", "chapter", "who") == "19"
    with pytest.raises(UserError, match="WHO ICD-10 has it"):
        codes.level("E90", "chapter")
    with pytest.raises(UserError, match="ICD-10-CM / CIE-10-ES has it"):
        codes.level("O9A", "chapter", "who")


def test_a_code_in_no_chapter_is_a_class_of_its_own_when_scored():
    from clinbench.coding.codes import level_or_own

    assert level_or_own("E90", "chapter") == "none:E90"
    assert level_or_own("E11.9", "chapter") == "4"
    assert level_or_own("E90", "category") == "E90"
