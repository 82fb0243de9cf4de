"""Digests of code and values: what a result depends on, and nothing else.

A rule carries ``code_digest`` of its script as a parameter, so that Snakemake
reruns it when the code it uses changes, and does not when a comment, a
docstring, the layout or an unrelated module does.
"""

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent

# Modules that move bytes and messages but can never change a number.
NEUTRAL = {
    *("clinbench", "clinbench.cards", "clinbench.checkpoints", "clinbench.digest", "clinbench.interrupts"),
    *("clinbench.errors", "clinbench.files", "clinbench.plugins", "clinbench.progress"),
    *("clinbench.provenance", "snakejob"),
}


def value_digest(value: object) -> str:
    """Hash a JSON-like value, independent of the order of its keys (16 hex digits)."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def canonical(value: object) -> str:
    """Serialise a parameter so that reordered keys do not look like a change."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def content_digest(path: str | Path) -> str:
    """Hash the bytes of a file, or names and bytes of a folder's files (16 hex digits)."""
    path = Path(path)
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
        with open(file, "rb") as handle:
            while block := handle.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:16]


@cache
def code_digest(script: str, *modules: str) -> str:
    """Hash a script, the plug-in modules it loads by name, and all they import (16 hex digits).

    Remembered for the life of the process: a plan of a thousand jobs asks for a few dozen.

    Args:
        script: file name under ``workflow_scripts``.
        modules: dotted names of modules loaded at run time, which no import shows.
    """
    pending = [SCRIPTS / script, *(_module_file(module) for module in modules)]
    seen: dict[Path, str] = {}
    while pending:
        file = pending.pop()
        if file is None or file in seen:
            continue
        seen[file], imported = _parsed(file)
        pending += [_module_file(name) for name in imported if name not in NEUTRAL]
    parts = sorted((file.relative_to(SCRIPTS).as_posix(), text) for file, text in seen.items())
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@cache
def _parsed(file: Path) -> tuple[str, tuple[str, ...]]:
    """Return a file's code without comments, docstrings, layout and what only annotations need, and its imports."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not _is_for_type_checkers(node)]
    imported: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]):
            body[:] = body[1:] or [ast.Pass()]
    return ast.unparse(tree), tuple(imported)


def _is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


@cache
def _module_file(name: str) -> Path | None:
    """Return the file of a module of ours, or None for one of somebody else's."""
    base = SCRIPTS.joinpath(*name.split("."))
    for file in (base.with_suffix(".py"), base / "__init__.py"):
        if file.is_file():
            return file
    return None
