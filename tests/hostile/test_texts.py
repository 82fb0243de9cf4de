"""Codes and mentions that other readers and indexes changed or lost."""

import polars as pl
import pytest

from clinbench.coding.benchmarks import mentions_tsv
from clinbench.coding.context import Context
from clinbench.coding.delimited import read_sheet
from clinbench.coding.frames import table_frame
from clinbench.coding.systems import bm25, char_tfidf
from clinbench.cohorts.mimic.tables import read_table

TABLE = table_frame(
    [
        ("B15", "Hepatitis A", "es", "x"),
        ("B16", "Hepatitis B", "es", "x"),
        ("E10", "Diabetes mellitus tipo 1", "es", "x"),
        ("E11", "Diabetes mellitus tipo 2", "es", "x"),
    ]
)
SEARCHERS = pytest.mark.parametrize("system", [bm25, char_tfidf], ids=["bm25", "char_tfidf"])


def test_codes_keep_their_zeros(tmp_path):
    (tmp_path / "DIAGNOSES_ICD.csv").write_text(
        "ROW_ID,SUBJECT_ID,HADM_ID,SEQ_NUM,ICD9_CODE\n1,7,70,1,0389\n2,7,70,2,042\n3,7,70,3,00845\n"
    )
    found = read_table("DIAGNOSES_ICD", tmp_path / "DIAGNOSES_ICD.csv")["icd9_code"]
    assert found.to_list() == ["0389", "042", "00845"] and found.dtype == pl.String


@pytest.mark.parametrize("separator", ["\t", ";", ","])
def test_cells_that_look_like_numbers_or_nothing_stay_text(tmp_path, separator):
    cells = ["3e03", "3e02329", "1.47E+016", "NA", "null", "nan", "None", "0389", "True", "-", "1e5"]
    (tmp_path / "s.txt").write_text(
        "".join(f"{cell}{separator}{cell}\n" for cell in ["a", *cells]).replace("a", "b", 1)
    )
    sheet = read_sheet(tmp_path / "s.txt")
    assert [row for _, row in sheet.rows] == [[cell, cell] for cell in cells]


def test_a_mention_called_na_is_a_mention(tmp_path):
    (tmp_path / "m.tsv").write_text("query\tcode\nNA\tB15\nnull\tB16\n")
    queries, _ = mentions_tsv.load({"mentions": tmp_path / "m.tsv"}, {}, TABLE)
    assert queries["query"].to_list() == ["NA", "null"]


@SEARCHERS
def test_more_answers_than_codes_and_none_for_unknown_words(system):
    ranked = system.search(["hepatitis b", "zzzz qqqq", ""], TABLE, {}, Context(), 1000)
    assert ranked[0][0][0] == "B16" and len(ranked[0]) <= TABLE.height
    assert [score for _, score in ranked[0]] == sorted((score for _, score in ranked[0]), reverse=True)
    assert ranked[1] == ranked[2] == []


@SEARCHERS
def test_mentions_in_any_script_are_searched(system):
    mentions = [
        "ΔΙΑΒΗΤΗΣ",
        "糖尿病",
        "سكري",
        "DIABETES MELLITUS TIPO 2",
        "2,5 mg",
        "tipo II",
        "a-b",
        "diabetes\ntipo 2",
        "🙂",
    ]
    ranked = system.search(mentions, TABLE, {}, Context(), 3)
    assert len(ranked) == len(mentions)
    assert ranked[3][0][0] == ranked[7][0][0] == "E11"
    assert ranked[1] == ranked[2] == ranked[8] == []


def test_one_letter_tells_hepatitis_a_from_b():
    ranked = bm25.search(["hepatitis b", "hepatitis a"], TABLE, {}, Context(), 1)
    assert [one[0][0] for one in ranked] == ["B16", "B15"]
