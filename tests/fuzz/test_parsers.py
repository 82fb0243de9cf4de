"""Damaged files end in our own error with the file's name, never in a traceback from inside a library."""

import csv
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from tests.fuzz.damage import damaged, usual
from tests.fuzz.parsers import CASES

from clinbench.errors import UserError


def lay(case, content):
    """Return a new folder with a case's files."""
    folder = Path(tempfile.mkdtemp())
    for name, data in {**case.beside, case.name: content}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("name", CASES)
def test_a_whole_file_is_read(name):
    folder = lay(CASES[name], CASES[name].whole)
    CASES[name].read(folder)
    shutil.rmtree(folder)


def read_or_refuse(case, content):
    """Read a case's file with other content; a refusal has to name the file."""
    folder = lay(case, content)
    csv.field_size_limit(1 << 17)  # Python's own: some reader may have lifted it for all
    try:
        case.read(folder)
    except UserError as error:
        assert Path(case.name).name in str(error) or str(folder) in str(error), error
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", CASES)
def test_a_damaged_file_is_read_or_refused_by_name(name):
    for content in usual(CASES[name].whole):
        read_or_refuse(CASES[name], content)

    @settings(
        max_examples=15,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(damaged(CASES[name].whole))
    def check(content):
        read_or_refuse(CASES[name], content)

    check()
