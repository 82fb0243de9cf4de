"""The page's tables: what the Markdown says, and nothing of it as HTML."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from clinbench.reporting.layouts import MORTALITY, RETRIEVAL
from clinbench.reporting.markdown import escape as to_markdown
from clinbench.reporting.page.reading import read_table
from clinbench.reporting.table import build

HOSTILE = """<script>alert(1)</script> | <br> &lt;b&gt; **x** [a](http://x.org) ![i](http://x.org/i) "q' \\ `c` <http://x.org>"""


def read(*records, layout=MORTALITY):
    return read_table(build(records, layout).to_markdown())


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1))
def test_any_text_comes_back_as_itself(text):
    shown = " ".join(text.split())
    if not shown:
        return
    page = read_table(f"before\n\nx {to_markdown(text)}\n\n| h |\n|:--|\n| y {to_markdown(text)} |\n")
    assert page.grids[0].title == f"x {escape(shown)}"
    assert page.grids[0].lines[0][0][0].html == f"y {escape(shown)}"


def test_hostile_names_stay_text(risk_record):
    page = read(risk_record(HOSTILE, facts={"title": HOSTILE}, selection=HOSTILE))
    everything = [page.title, *page.caption, *page.notes]
    for grid in page.grids:
        everything += [grid.title, *(cell.html for line in grid.lines for row in line for cell in row)]
    tags = {tag for text in everything for tag in re.findall(r"<[^>]*>", text)}
    assert tags <= {"<strong>", "</strong>", "<br>", "<sup>", "</sup>", "<em>", "</em>"}
    assert any("&lt;script&gt;alert(1)" in text for text in everything)
    assert page.grids[0].lines[0][0][0].html == escape(HOSTILE)


def test_a_table_is_read_with_title_caption_numbers_and_notes(risk_record):
    page = read(risk_record(), risk_record("gbt", value=0.9))
    assert page.title == "In-hospital mortality"
    assert page.caption[0].startswith("Data: Cohort cohort_a (n = 500 stays")
    (grid,) = page.grids
    assert grid.title.startswith("<strong>Cohort cohort_a</strong>") and not grid.groups and not grid.wide
    assert [cell.key for cell in grid.lines[1][0]] == [None, 0.9, 0.9, 0.9, 0.9, 0.9]
    assert grid.lines[0][0][1].html == ".854 (.010)<br>[.834, .874]"
    assert any("gradient-boosted trees" in note for note in page.notes)


def test_published_values_stay_with_the_line_above(risk_record):
    record = risk_record()
    for row in record["rows"]:
        row |= {"published": 0.81, "comparable": "yes"}
    (grid,) = read(record, risk_record("cbce")).grids
    assert [len(line) for line in grid.lines] == [2, 1]
    assert grid.lines[0][1][0].html == "<em>published</em>" and grid.lines[0][1][1].key == 0.81


def test_levels_are_headings_over_their_columns(coding_record):
    (grid,) = read(coding_record(), layout=RETRIEVAL).grids
    assert grid.groups == [("", 1), ("Exact code", 4), ("Category", 4), ("Chapter", 4)]
    assert grid.heads[:3] == ["System", "P", "R"] and grid.wide


@pytest.mark.parametrize(
    ("text", "key"),
    [(".5 (.1)", 0.5), ("−.012", -0.012), ("3,236", 3236), ("[0.95, 1.1]", 0.95), ("–", None), ("n/a", None)],
)
def test_cells_are_sorted_by_their_first_number(text, key):
    page = read_table(f"t\n\n| a | b |\n|:--|:-:|\n| x | {to_markdown(text)} |\n")
    assert page.grids[0].lines[0][0][1].key == key
