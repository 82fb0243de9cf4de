"""Every hostile but real input has its test, under the name that cases.yaml says."""

import ast

import pytest
import yaml
from tests.paths import ROOT

CASES = yaml.safe_load((ROOT / "tests/hostile/cases.yaml").read_text())
NUMBERS = [
    *(1, 2, 3, 4, 7, 8, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 26, 27, 28, 30, 31, 32, 34, 35, 36, 38, 39),
    *(42, 43, 44, 45, 47, 48, 50, 51, 53, 55, 57, 59, 60),
]


def test_no_case_is_left_out():
    assert sorted(CASES) == NUMBERS


@pytest.mark.parametrize("number", CASES)
def test_its_tests_are_there(number):
    for place in CASES[number]:
        file, _, name = place.partition("::")
        tree = ast.parse((ROOT / "tests" / file).read_text())
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, place
