"""Plug-ins: one file whose name is its config name, found by looking, loaded on demand.

A plug-in may declare literals that are read without importing it, so that a
dry-run never pays for torch: ``OPTIONS`` (JSON-schema properties of its config
entry), ``DATA`` (config key under ``data:`` to a sentence saying where the data
come from and their licence), ``OPTIONAL_DATA`` (the same, may stay null),
``EXCLUDES_DATA`` (key to one that must not be set with it), ``ACCESS`` and
others named by its package.
"""

import ast
import importlib
from functools import cache
from pathlib import Path
from types import ModuleType

from clinbench.errors import UserError, closest

ROOT = Path(__file__).resolve().parent


def names(package: str) -> list[str]:
    """List the plug-ins of a package such as ``risk.losses``, sorted."""
    folder = ROOT.joinpath(*package.split("."))
    return sorted(
        file.stem for file in folder.glob("*.py") if declared(package, file.stem, "OPTIONS") is not None
    )


def load(package: str, name: str) -> ModuleType:
    """Import one plug-in.

    Raises:
        UserError: no such plug-in; the message lists those there are.
    """
    if name not in names(package):
        choices = ", ".join(names(package))
        raise UserError(
            f"No plug-in '{name}' in clinbench.{package}{closest(name, names(package))}. There are: {choices}."
        )
    return importlib.import_module(f"clinbench.{package}.{name}")


def declared(package: str, name: str, constant: str, default: object = None) -> object:
    """Read a literal constant of a plug-in without importing it."""
    return _literals(package, name).get(constant, default)


def data(package: str, name: str) -> dict[str, str]:
    """Return every key under ``data:`` that a plug-in reads, needed or not, and where the data come from."""
    return declared(package, name, "DATA", {}) | declared(package, name, "OPTIONAL_DATA", {})


def module(package: str, name: str) -> str:
    """Return the dotted name of a plug-in's module, for ``code_digest``."""
    return f"clinbench.{package}.{name}"


@cache
def _literals(package: str, name: str) -> dict[str, object]:
    """Collect the upper-case literal assignments at the top level of a plug-in."""
    file = ROOT.joinpath(*package.split("."), f"{name}.py")
    found: dict[str, object] = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name.isupper():
                try:
                    found[name] = ast.literal_eval(node.value)
                except ValueError:
                    continue
    return found
