"""Start-up: jobs that run no network do not wait for torch."""

import ast
import json
import subprocess
import sys

from clinbench import plugins
from tests.paths import ROOT

SCRIPTS = ROOT / "workflow_scripts"
HEAVY = ("torch", "transformers", "sentence_transformers", "datasets", "accelerate")
NETWORKS = {
    "train_risk.py",
    "predict_risk.py",
    "audit_search.py",
    "evaluate_imbalance.py",
    "measure_running_time.py",
    "score_stays.py",
}
PROBE = """
import json, sys
found = {}
for name, lines in json.load(sys.stdin):
    before = set(sys.modules)
    exec(lines)
    for heavy in %r:
        if heavy in sys.modules and heavy not in before:
            found.setdefault(name, []).append(heavy)
print(json.dumps(found))
"""


def top_level_imports(path):
    """Return a script's imports as code; what it does is not run."""
    body = ast.parse(path.read_text()).body
    return ast.unparse([node for node in body if isinstance(node, ast.Import | ast.ImportFrom)])


def heavy_imports(pieces):
    """Run named pieces of code one after the other in a new process and return who brought in what is heavy."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE % (HEAVY,)],
        input=json.dumps(pieces),
        env={"PYTHONPATH": str(SCRIPTS), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_scripts_and_plugins_without_a_network_import_no_torch():
    packages = ("cohorts", "coding.benchmarks", "coding.tables", "coding.systems")
    modules = [plugins.module(package, name) for package in packages for name in plugins.names(package)]
    scripts = [path for path in sorted(SCRIPTS.glob("*.py")) if path.name not in NETWORKS]
    pieces = [(path.name, top_level_imports(path)) for path in scripts]
    assert heavy_imports(pieces + [(module, f"import {module}") for module in modules]) == {}


def test_planning_imports_no_torch():
    light = [(path.name, top_level_imports(path)) for path in sorted((SCRIPTS / "planning").glob("*.py"))]
    assert heavy_imports(light) == {}


def test_the_check_sees_what_is_heavy():
    assert heavy_imports([("train_risk.py", top_level_imports(SCRIPTS / "train_risk.py"))])[
        "train_risk.py"
    ] == ["torch"]
