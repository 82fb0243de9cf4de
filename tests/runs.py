"""Run Snakemake on the repository, or on a copy of it that a test may edit."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

COPIED = ("Snakefile", "config.yaml", "rules", "workflow_scripts", "envs", "profiles", "presets")


def run_snakemake(*arguments, cwd=ROOT, timeout=1800):
    """Run ``snakemake`` and return the finished process, output and errors in ``stdout``."""
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *map(str, arguments)],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
    )


def job_counts(output: str) -> dict[str, int]:
    """Read the table of job counts of a dry-run; empty if there is nothing to do."""
    table = re.search(r"^job +count\n-[- ]+\n(.*?)^total", output, re.MULTILINE | re.DOTALL)
    rows = (line.split() for line in table.group(1).splitlines()) if table else []
    return {name: int(count) for name, count in rows}


def copy_checkout(folder: Path) -> Path:
    """Copy what a run needs into ``folder``."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, folder / name)
    return folder
