"""LaTeX: complete escaping and a sound structure, checked without a TeX engine."""

import re

import pytest

from clinbench.reporting.latex import escape
from clinbench.reporting.layouts import MORTALITY, RETRIEVAL
from clinbench.reporting.table import build

NASTY = (
    r"""a\b {c} $d$ 100% e_f g&h #1 ~i ^j <k> |l| "m" `n' --o-- [p] *q ,,r λ≥½ é ñ Ł ş Ω 中 🙂 º"""
    + "\n\tend\x07"
)
COMMANDS = re.compile(r"\\[A-Za-z]+|\\.")


def columns_of(line: str) -> int:
    """Count the columns a table line fills."""
    bare = line.replace(r"\&", "")
    spans = [int(span) for span in re.findall(r"\\multicolumn\{(\d+)\}", bare)]
    return bare.count("&") + 1 + sum(spans) - len(spans)


def braces_balance(text: str) -> bool:
    depth = 0
    for letter in re.sub(r"\\[{}\\]", "", text):
        depth += (letter == "{") - (letter == "}")
        if depth < 0:
            return False
    return depth == 0


def body_of(latex: str) -> list[str]:
    inside = latex.split(r"\begin{tabular}")[1].split(r"\end{tabular}")[0].splitlines()[1:]
    return [
        line for line in inside if not re.match(r"\\(top|mid|bottom|cmid)rule|\\addlinespace", line) and line
    ]


@pytest.mark.parametrize("text", [NASTY, *NASTY, "\\end{table}", "%", "\\\\", "$$", "{", "}"])
def test_escaped_text_is_plain_ascii_with_nothing_active(text):
    escaped = escape(text)
    assert escaped.isascii() and braces_balance(escaped)
    without = re.sub(r"\$(\\[A-Za-z]+(\{[A-Z]\})?|\^\\circ|-|o)\$", "", escaped)
    without = COMMANDS.sub("", without)
    assert not re.search(r'[$%&#_^~<>|"\n\t]', without)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("BCE+λSCR", r"BCE+$\lambda$SCR"),
        ("a_b", r"a\_b"),
        ("50%", r"50\%"),
        ("Müller ñ š", r"M\"{u}ller \~{n} \v{s}"),
        ("a--b", "a-{}-b"),
        ("−.012 – x", "$-$.012 -- x"),
        ("中", "U+4E2D"),
        ("[x]", "{[}x{]}"),
        ("ΛΑα", r"$\Lambda$$\mathrm{A}$$\alpha$"),
        ("e\u0301", r"\'{e}"),
    ],
)
def test_escape(text, printed):
    assert escape(text) == printed


def nasty(record):
    record["facts"]["title"] = NASTY
    for row in record["rows"]:
        row["selection"] = NASTY
    return record


def test_structure_survives_nasty_names(risk_record):
    absent = {"dataset": "cohort_a", "model": "mortality_lstm", "system": "[gone", "reason": NASTY}
    systems = ["bce", NASTY, "[x] own", "*y"]
    latex = build(
        [*(nasty(risk_record(system)) for system in systems), {"absent": [absent]}], MORTALITY
    ).to_latex()
    assert latex.isascii() and braces_balance(latex)
    lines = body_of(latex)
    assert {columns_of(line) for line in lines} == {6}
    assert all(re.search(r"\\\\(\[-?\d+pt\])?$", line) for line in lines)
    assert not any(line.startswith(("[", "*")) for line in lines)
    assert latex.count(r"\begin{") == latex.count(r"\end{") == 3


def test_every_environment_is_closed_in_order(coding_record):
    latex = build([coding_record()], RETRIEVAL).to_latex()
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{([\w*]+)\}", latex):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack


def test_wide_layout_groups_columns_by_level(coding_record):
    latex = build([coding_record(), coding_record("minilm", "minilm")], RETRIEVAL).to_latex()
    assert {columns_of(line) for line in body_of(latex)} == {13}
    for group, rule in (("Exact code", "2-5"), ("Category", "6-9"), ("Chapter", "10-13")):
        assert rf"\multicolumn{{4}}{{c}}{{{group}}}" in latex and rf"\cmidrule(lr){{{rule}}}" in latex
    assert r"\begin{tabular}{@{}lcccccccccccc@{}}" in latex and r"\begin{sidewaystable*}" in latex


def test_value_and_std_with_the_interval_small_below(risk_record):
    lines = body_of(build([risk_record()], MORTALITY).to_latex())
    value = next(index for index, line in enumerate(lines) if line.startswith("BCE"))
    assert ".854 (.010)" in lines[value]
    assert lines[value + 1].startswith(r"& {\scriptsize {[}.834, .874{]}}")


def test_one_heading_over_all_columns_a_data_set(risk_record):
    latex = build([risk_record(), risk_record(dataset="b")], MORTALITY).to_latex()
    assert latex.count(r"\multicolumn{6}{@{}l@{}}") == 2
    assert r"\textbf{Cohort cohort\_a}" in latex


def test_labels_of_two_tables_differ(risk_record, coding_record):
    one = build([risk_record(), risk_record(dataset="b")], MORTALITY).to_latex()
    two = build([risk_record(model="concare")], MORTALITY).to_latex()
    assert r"\label{tab:mortality-mortality-lstm}" in one
    assert r"\label{tab:mortality-cohort-a-concare}" in two
    assert r"\label{tab:retrieval-terms}" in build([coding_record()], RETRIEVAL).to_latex()


def test_long_titles_do_not_widen_the_table(risk_record):
    latex = build([risk_record(facts={"title": "word " * 40})], MORTALITY).to_latex()
    headings = [line for line in body_of(latex) if line.startswith(r"\multicolumn")]
    assert len(headings) > 3 and max(map(len, headings)) < 130
