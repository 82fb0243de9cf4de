"""Provenance: the record every result carries, so that a number can be traced."""

import hashlib
import subprocess
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from clinbench.errors import UserError

# Without these a row does not enter a table.
REQUIRED = [
    "git_commit",
    "git_dirty",
    "config_hash",
    "code_digest",
    "environment_hash",
    "data_fingerprint",
    "seed",
    "device",
    "threads",
    "wall_seconds",
    "selection",
    "n",
]


@cache
def git_state(folder: str) -> dict[str, object]:
    """Return ``git_commit`` and ``git_dirty`` of the code around ``workflow_scripts``; None without git."""
    commit = _git(folder, "rev-parse", "HEAD")
    places = (".", "../rules", "../Snakefile")  # a new plug-in is not tracked yet, and counts as a change
    status = _git(folder, "status", "--porcelain", "--untracked-files=normal", "--", *places)
    return {"git_commit": commit, "git_dirty": None if status is None else bool(status)}


@cache
def environment_hash() -> str:
    """Hash the names and versions of all installed packages (16 hex digits)."""
    packages = sorted({f"{item.name}=={item.version}".lower() for item in distributions()})
    return hashlib.sha256("\n".join(packages).encode()).hexdigest()[:16]


def check(record: dict, where: str) -> dict:
    """Return ``record`` if it may enter a table.

    Raises:
        UserError: fields are missing; they are named.
    """
    missing = [field for field in REQUIRED if field not in record]
    if missing:
        raise UserError(f"{where}: no provenance for {', '.join(missing)}; the row is refused.")
    return record


def _git(folder: str, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(Path(folder)), *words], capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
