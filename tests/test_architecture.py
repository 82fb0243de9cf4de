"""The library stands alone: no Snakemake, no scripts, no results paths, no cycles between packages."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

LIBRARY = ROOT / "workflow_scripts/clinbench"
FILES = sorted(LIBRARY.rglob("*.py"))
SCRIPTS = sorted((ROOT / "workflow_scripts").glob("*.py"))
# The two tracks share evaluation and reporting, nothing else.
ALLOWED = {
    "cohorts": {"cohorts"},
    "risk": {"risk", "cohorts", "evaluation"},
    "coding": {"coding"},
    "claims": {"claims", "reporting"},
    "evaluation": {"evaluation"},
    "reporting": {"reporting"},
}


def imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(LIBRARY)))
def test_library_file_knows_neither_workflow_nor_results(file):
    for name in imports(file):
        assert name.split(".")[0] not in {"snakemake", "snakejob", "planning"}, name
    package = file.relative_to(LIBRARY).parts[0]
    if package in ALLOWED:
        ours = {name.split(".")[1] for name in imports(file) if name.startswith("clinbench.")}
        shared = {path.stem for path in LIBRARY.glob("*.py")}
        assert ours <= ALLOWED[package] | shared
    text = file.read_text()
    assert "results/" not in text
    assert "pickle.load" not in text and "trust_remote_code=True" not in text


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_scripts_are_thin(file):
    assert len(file.read_text().splitlines()) <= 100


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_no_script_imports_a_library_before_its_threads_are_known(file):
    code = file.read_text().split("if TYPE_CHECKING:")[0]
    for early in ("polars", "numba", "tokenizers"):  # they ask for their threads when they are imported
        assert f"import {early}" not in code, "import clinbench first, or let a module of it do this"


def test_files_are_short():
    lengths = sorted(len(file.read_text().splitlines()) for file in FILES)
    assert lengths[-1] <= 300
    assert lengths[len(lengths) // 2] <= 110


def test_the_library_imports_without_snakemake():
    code = "import sys; sys.modules['snakemake'] = None; import clinbench.config, clinbench.cohorts.tensors"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(LIBRARY.parent)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_no_placeholder_is_left():
    for page in ("README.md", "config.yaml", "docs/extending.md"):
        text = (ROOT / page).read_text()
        assert "CLINBENCH_" not in text and "TODO" not in text, page
