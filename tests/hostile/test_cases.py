"""Every hostile but real input has its test, under the name that cases.yaml says."""

import ast
import re

import pytest
import yaml
from tests.paths import ROOT

CASES = yaml.safe_load((ROOT / "tests/hostile/cases.yaml").read_text())
CHECK = re.compile(r"raises|assert|check|refuse")  # what a call is named that fails a test
NUMBERS = [
    *(1, 2, 3, 4, 7, 8, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 26, 27, 28, 30, 31, 32, 34, 35, 36, 38, 39),
    *(42, 43, 44, 45, 47, 48, 50, 51, 53, 55, 57, 59, 60),
]


def test_no_case_is_left_out():
    assert sorted(CASES) == NUMBERS


@pytest.mark.parametrize("number", CASES)
def test_its_tests_are_there_and_run(number):
    for place in CASES[number]:
        file, _, name = place.partition("::")
        assert why_idle(file, (ROOT / "tests" / file).read_text(), name) is None, place


def why_idle(file, text, name):
    """Say why pytest collects no such test from a file, or never runs or fails it; None if it does."""
    tree = ast.parse(text)
    if not file.rsplit("/", 1)[-1].startswith("test_") or not name.startswith("test_"):
        return "not collected by its name"
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(found) != 1:
        return f"{len(found)} of that name"
    marks = [node for node in tree.body if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node)]
    idle = {"skip", "skipif", "xfail", "slow", "importorskip"}
    for node in (inner for part in (*marks, found[0]) for inner in ast.walk(part)):
        if isinstance(node, ast.Attribute) and node.attr in idle:
            return f"line {node.lineno}: {node.attr}"
    checks = any(
        isinstance(node, ast.Assert) or isinstance(node, ast.Call) and CHECK.search(ast.unparse(node.func))
        for node in ast.walk(found[0])
    )
    return None if checks else "checks nothing"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def test_x():\n    assert f()", None),
        ("def test_x():\n    with pytest.raises(E):\n        f()", None),
        ("def test_y():\n    assert f()", "0 of that name"),
        ("class A:\n    def test_x(self):\n        assert f()", "0 of that name"),
        ("def test_x():\n    assert f()\ndef test_x():\n    assert f()", "2 of that name"),
        ("@pytest.mark.skip\ndef test_x():\n    assert f()", "line 1: skip"),
        ("@pytest.mark.slow\ndef test_x():\n    assert f()", "line 1: slow"),
        ("pytestmark = pytest.mark.skipif(True)\ndef test_x():\n    assert f()", "line 1: skipif"),
        ("def test_x():\n    pytest.skip()\n    assert f()", "line 2: skip"),
        ("def test_x():\n    f()", "checks nothing"),
    ],
)
def test_a_test_that_never_runs_is_none(text, why):
    assert why_idle("folder/test_a.py", text, "test_x") == why
    assert why_idle("folder/a.py", text, "test_x") == "not collected by its name"
