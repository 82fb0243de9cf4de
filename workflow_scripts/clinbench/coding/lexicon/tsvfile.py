"""Read one of the lexicon's files: tab-separated, UTF-8, with a fixed header line."""

import unicodedata
from pathlib import Path

from clinbench.coding.tsv import decode, split_cells
from clinbench.digest import value_digest
from clinbench.errors import UserError

FOLDER = Path(__file__).resolve().parent
LANGS = ("en", "es", "ca", "it", "pt", "fr")
AGREEMENTS = ("ms", "fs", "mp", "fp")
NONE = "-"


def read_rows(path: Path, header: tuple[str, ...], problems: list[str]) -> list[tuple[str, dict[str, str]]]:
    """Return ``(place, row)`` for every line below the header; a place reads ``terms/01.tsv, line 2``.

    What is wrong with a cell's blanks or Unicode form is added to ``problems``.

    Raises:
        UserError: no such file, not UTF-8, another header, or lines with a wrong number of cells.
    """
    if not path.is_file():
        raise UserError(f"{path}: no such file of the lexicon. Restore it from the repository.")
    name = path.relative_to(FOLDER).as_posix() if path.is_relative_to(FOLDER) else str(path)
    text, _ = decode(path.read_bytes(), name)
    cells = split_cells(text, name, len(header))
    if tuple(cells[0]) != header:
        raise UserError(
            f"{name}, line 1: the header is {' | '.join(cells[0])}; write {' | '.join(header)}, tab-separated."
        )
    rows = []
    for at, line in enumerate(cells[1:], 2):
        place = f"{name}, line {at}"
        for column, cell in zip(header, line, strict=True):
            if cell != " ".join(cell.split()) or not cell:
                problems.append(
                    f"{place}: {column} {cell!r} is empty or has stray blanks; trim it (nothing is '-')"
                )
            elif cell != unicodedata.normalize("NFC", cell):
                problems.append(f"{place}: {column} {cell!r} is decomposed Unicode; write it composed (NFC)")
        rows.append((place, dict(zip(header, line, strict=True))))
    return rows


def files_digest() -> str:
    """Hash the content of all files of the lexicon (16 hex digits)."""
    files = sorted(FOLDER.rglob("*.tsv"))
    return value_digest(
        {file.relative_to(FOLDER).as_posix(): file.read_text(encoding="utf-8") for file in files}
    )
