"""Where things are: stores by access, configured data, wildcard constraints."""

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from clinbench import plugins
from clinbench.digest import canonical, value_digest
from clinbench.errors import UserError

PACKAGES = {"risk": "cohorts", "coding": "coding.benchmarks"}


def store(config: dict, track: str, name: str) -> str:
    """Return the folder of the row-level files of a cohort or benchmark, by its access."""
    access = config[track].get(name, {}).get("access") or plugins.declared(PACKAGES[track], name, "ACCESS")
    return f"results/{'private' if access == 'credentialed' else 'open'}/{track}/{name}"


def access_constraint(config: dict) -> str:
    """Admit open or private only in front of what is declared so: no path can leave its store."""
    stores = [
        store(config, track, name) for track, package in PACKAGES.items() for name in plugins.names(package)
    ]
    parts = [path.removeprefix("results/").split("/", 1) for path in stores]
    return "|".join([f"{access}(?=/{re.escape(rest)}/)" for access, rest in parts])


def one_of(names: Iterable[str]) -> str:
    """Return a wildcard constraint that admits just these names, longest first."""
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"


def data_keys(config: dict, package: str, name: str) -> list[str]:
    """Return the keys under ``data`` that a plug-in reads and that are set, sorted."""
    return [key for key in sorted(plugins.data(package, name)) if config["data"].get(key)]


def data_paths(config: dict, package: str, name: str) -> list[str]:
    """Return the paths that go with ``data_keys``."""
    return [config["data"][key] for key in data_keys(config, package, name)]


def data_state(paths: list[str]) -> str:
    """Digest names, sizes and times of all files under ``paths``: a folder's own time misses edits inside.

    Each set of paths is walked once a process: a data set has tens of thousands of files, and several jobs ask.
    """
    return _walked(tuple(paths))


@cache
def _walked(paths: tuple[str, ...]) -> str:
    files = []
    for root in map(Path, paths):
        found = [root] if root.is_file() else sorted(file for file in root.rglob("*") if file.is_file())
        files += [
            (str(file.relative_to(root)), file.stat().st_size, file.stat().st_mtime_ns) for file in found
        ]
    return value_digest(files)


def users_path(key: str, path: str | None, kind: str, remedy: str) -> str:
    """Return a path the user configured under ``key``.

    Args:
        kind: ``file`` or ``folder``.
        remedy: what to do, for the message.

    Raises:
        UserError: there is none, or it is not of that kind.
    """
    there = {"file": os.path.isfile, "folder": os.path.isdir}[kind]
    if path is None or not there(path):
        raise UserError(f"{key}: {path} is no {kind}; {remedy}")
    return path


def options_of(entry: dict, *own: str) -> str:
    """Return an entry's options without the keys the suite itself reads, as canonical JSON."""
    return canonical({key: value for key, value in entry.items() if key not in own})
