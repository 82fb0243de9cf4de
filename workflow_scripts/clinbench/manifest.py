"""The manifest of a run: what was made of what, by which code, configuration and environment; of no machine."""

import hashlib
import platform
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path

from clinbench.digest import value_digest
from clinbench.files import read_json
from clinbench.provenance import environment_hash

KEPT = (
    *("rule", "git_commit", "git_dirty", "config_hash", "code_digest", "environment_hash", "seed", "device"),
    *("threads", "wall_seconds", "selection", "n"),
)
HIDDEN = "/path/to/data"  # stands for a path or address of this machine
RECORDS = ("run.json", "*.run.json")


def manifest(
    root: Path,
    results: Sequence[Sequence[str]],
    config: Mapping,
    state: Mapping,
    selected: Mapping[str, Iterable[str]],
    within: Mapping[str, str] | None = None,
) -> dict:
    """Describe a run.

    Args:
        root: folder of results.
        results: the files of each result below it, its run record among them (``export.pack``).
        config: the whole configuration; paths in it are hidden.
        state: ``git_commit`` and ``git_dirty`` now.
        selected: wildcard to the values the configuration selects: records of others are not counted.
        within: rule to the rule whose jobs' seconds its own records repeat.

    Returns:
        ``results`` (name, files and inputs with their SHA-256, fields ``KEPT`` of the record), ``jobs`` (rule to
        number and seconds), ``wall_seconds``, ``environment`` with all versions, ``config`` and its hash.
    """
    jobs = job_sums(root, selected)
    repeated = within or {}
    return {
        **state,
        "config_hash": value_digest({**config, "data": None}),
        "config": without_paths(
            {**config, "data": {key: HIDDEN for key, path in config["data"].items() if path}}
        ),
        "environment": {
            "hash": environment_hash(),
            "python": sys.version.split()[0],
            "system": f"{platform.system()} {platform.machine()}",
            "versions": dict(sorted({item.name.lower(): item.version for item in distributions()}.items())),
        },
        "jobs": jobs,
        "wall_seconds": round(
            sum(sums["wall_seconds"] for rule, sums in jobs.items() if rule not in repeated), 3
        ),
        "results": [entry for result in results if (entry := _entry(root, result))],
    }


def without_paths(value: object) -> object:
    """Hide what looks like a path or an address of a machine, at any depth.

    Example:
        >>> without_paths({"folder": "/home/me/model", "kind": "dense"})
        {'folder': '/path/to/data', 'kind': 'dense'}
    """
    if isinstance(value, Mapping):
        return {str(key): without_paths(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [without_paths(one) for one in value]
    if isinstance(value, str) and (value[:1] in "/~\\." or "://" in value or value[1:3] in (":\\", ":/")):
        return HIDDEN if value else value
    return value


def job_sums(root: Path, selected: Mapping[str, Iterable[str]]) -> dict[str, dict]:
    """Count the run records of the selected cells by rule, with their seconds; resume states are no jobs."""
    chosen = {name: {str(value) for value in values} for name, values in selected.items()}
    found: dict[str, dict] = defaultdict(lambda: {"jobs": 0, "wall_seconds": 0.0})
    files = {path for pattern in RECORDS for path in root.rglob(pattern)}
    for path in sorted(files):
        if any(part.startswith(".") for part in path.relative_to(root).parts):
            continue
        record = read_json(path)
        names = record.get("wildcards", {})
        if "rule" in record and all(
            str(names[name]) in chosen[name] for name in names.keys() & chosen.keys()
        ):
            sums = found[record["rule"]]
            sums["jobs"] += 1
            sums["wall_seconds"] = round(sums["wall_seconds"] + (record.get("wall_seconds") or 0), 3)
    return dict(sorted(found.items()))


def _entry(root: Path, result: Sequence[str]) -> dict | None:
    """Describe one result, or nothing where its record is not there."""
    record = next((root / name for name in result if name.endswith(".run.json")), None)
    if record is None or not record.is_file():
        return None
    told = read_json(record)
    made_of = [Path(name).relative_to(*Path(name).parts[:1]) for name in told.get("made_of", [])]
    return {
        "name": record.relative_to(root).as_posix().removesuffix(".run.json"),
        "files": {name: sha256(root / name) for name in result if (root / name).is_file()},
        # Row-level inputs are named, not hashed.
        "inputs": {
            name.as_posix(): sha256(root / name)
            if name.parts[0] == "metrics" and (root / name).is_file()
            else None
            for name in made_of
        },
        **{key: told.get(key) for key in KEPT},
    }


def sha256(path: Path) -> str:
    """Hash a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
