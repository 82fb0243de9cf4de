"""Provenance: the record every result carries, so that a number can be traced."""

import hashlib
import subprocess
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from clinbench.errors import refuse

# Without these a number does not enter a table.
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
# What may be unknown: the commit outside a repository, and the seed where nothing is drawn.
UNKNOWN = {"git_commit", "git_dirty", "seed"}


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


def problems(record: dict, where: str) -> list[str]:
    """Name each field that keeps a record's numbers out of a table.

    Args:
        record: a run record: fields of ``REQUIRED``, none of them None but those of ``UNKNOWN``;
            ``data_fingerprint`` holds counts and a ``sha256``.
        where: the file it stands in.
    """
    missing = [field for field in REQUIRED if field not in record]
    empty = [field for field in REQUIRED if field not in UNKNOWN and record.get(field, 0) in (None, "")]
    rule = f" of {record['rule']}" if record.get("rule") else ""
    found = [f"{where}: the record{rule} has no {field}." for field in [*missing, *empty]]
    data = record.get("data_fingerprint")
    if data not in (None, "") and not (isinstance(data, dict) and data.get("sha256") and len(data) > 1):
        found.append(f"{where}: data_fingerprint{rule} holds no counts and sha256.")
    return found


def check(record: dict, where: str) -> dict:
    """Return ``record`` if its numbers may enter a table.

    Raises:
        UserError: see ``problems``; the file and each field are named.
    """
    refuse(problems(record, where), "Numbers without provenance are refused; run the job again:")
    return record


def _git(folder: str, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(Path(folder)), *words], capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
