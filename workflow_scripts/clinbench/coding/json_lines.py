"""JSON Lines files: one object a line, every bad line named."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from clinbench.errors import UserError, refuse
from clinbench.files import JsonError, parse_json, read_text, write_text


def write_lines(path: str | Path, items: list[dict]) -> None:
    """Write objects as JSON Lines, atomically."""
    write_text(path, "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items))


def read_lines(
    path: str | Path, what: str, kind: str, problems_of: Callable[[object], Iterable[str]]
) -> list:
    """Read what ``write_lines`` wrote; blank lines are skipped.

    Args:
        what: what a missing file would be of, for its message.
        kind: what the lines should be, for the message on bad ones.
        problems_of: names what is wrong with one value.

    Raises:
        UserError: no such file, or lines that are not as they should be, by number.
    """
    if not Path(path).is_file():
        raise UserError(f"{path}: no such file of {what}.")
    items, problems = [], []
    for at, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = parse_json(line)
        except JsonError as error:
            problems.append(f"line {at}: not valid JSON ({error})")
            continue
        problems += [f"line {at}: {problem}" for problem in problems_of(item)]
        items.append(item)
    refuse(problems, f"{path}: these lines are no {kind}:")
    return items
