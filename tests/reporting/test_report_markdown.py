"""Markdown: one table a block, safe against names that would break it."""

import re

from clinbench.reporting.layouts import MORTALITY, RETRIEVAL
from clinbench.reporting.markdown import escape
from clinbench.reporting.table import build


def rows_of(text):
    return [line for line in text.splitlines() if line.startswith("|")]


def test_escape_leaves_nothing_active():
    assert escape("a|b*c_d`e<f>\n#[x]$y$&") == r"a&#124;b\*c\_d\`e&lt;f&gt; \#\[x\]\$y\$&amp;"


def test_every_line_has_all_columns_whatever_the_names(risk_record):
    absent = {"dataset": "cohort_a", "model": "mortality_lstm", "system": "gone|x", "reason": "a|b\nc"}
    table = build([risk_record(), risk_record("a|b\nc"), {"absent": [absent]}], MORTALITY)
    rows = rows_of(table.to_markdown())
    assert {row.count("|") for row in rows} == {7} and len(rows) == 2 + 3


def test_cell_has_value_std_and_interval(risk_record):
    assert ".854 (.010)<br>[.834, .874]" in build([risk_record()], MORTALITY).to_markdown()


def test_no_number_is_bold_without_a_paired_test(risk_record):
    text = build([risk_record(), risk_record("bce_scr", value=0.9)], MORTALITY).to_markdown()
    assert not any("**" in row for row in rows_of(text))


def test_levels_stand_over_their_columns(coding_record):
    head = rows_of(build([coding_record()], RETRIEVAL).to_markdown())[0]
    titles = re.split(r"\s*\|\s*", head.strip("| "))
    assert titles[:5] == [
        "System",
        "Exact code<br>P",
        "Exact code<br>R",
        "Exact code<br>F1",
        "Exact code<br>MAP@10",
    ]
    assert len(titles) == 13


def test_footnote_letters_are_explained(coding_record):
    absent = [{"dataset": "terms", "model": "", "system": name, "reason": name * 2} for name in ("xx", "yy")]
    text = build([coding_record(), {"absent": absent}], RETRIEVAL).to_markdown()
    assert text.count("<sup>a</sup>") == text.count("<sup>b</sup>") == 2
    assert "<sup>b</sup> not available: yyyy." in text
