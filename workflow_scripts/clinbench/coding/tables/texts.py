"""Any file of codes and texts: TSV or CSV with a header line, plain or compressed."""

from collections import Counter
from pathlib import Path

import polars as pl

from clinbench.coding.codes import EDITIONS, in_edition, parse
from clinbench.coding.delimited import Sheet, read_sheet
from clinbench.coding.frames import table_frame
from clinbench.defaults import with_defaults
from clinbench.errors import UserError, refuse

TITLE = "a table of the user's"
EDITION = "given by the option edition"
DATA = {}
FILES = ("file",)  # options that are paths
OPTIONS = {
    "file": {
        "type": ["string", "null"],
        "minLength": 1,
        "default": None,
        "description": "The file, TSV or CSV (comma or semicolon) with a header line; .gz, .xz and .bz2 are read.",
    },
    "code_column": {
        "type": "string",
        "default": "code",
        "description": "Column of the codes; any spelling. Rows of blocks (A00-B99) are left out.",
    },
    "texts": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "minProperties": 1,
        "default": {"text": ""},
        "description": "Columns of texts, each with its language (`{es: es, pt_BR: pt}`); an empty language is "
        "read from `language_column`.",
    },
    "language_column": {
        "type": "string",
        "default": "lang",
        "description": "Column of the language of a row's texts.",
    },
    "joined_by": {
        "type": ["string", "null"],
        "minLength": 1,
        "default": None,
        "description": "What stands between several texts in one cell, such as a bar; null: one text a cell.",
    },
    "encoding": {"type": "string", "default": "utf-8", "description": "Encoding of the file."},
    "level": {
        "enum": ["cm", "who"],
        "default": "cm",
        "description": "Whose codes they are: ICD-10-CM and CIE-10-ES, or WHO ICD-10.",
    },
    "edition": {
        "type": "string",
        "default": "",
        "description": "Name of the edition, for messages and records.",
    },
    "title": {"type": "string", "default": "", "description": "What captions call the table."},
}


def load(data: dict[str, Path], options: dict) -> tuple[pl.DataFrame, dict]:
    """Read codes and texts; a code may have any number of texts, in several languages.

    Args:
        data: ``file``, the file.
        options: see ``OPTIONS``.

    Returns:
        The codes table (``frames.TABLE``) and counts: ``codes``, ``texts``, ``texts_by_language``, ``blocks``
        (rows left out because they are ranges or several codes), ``empty`` (cells without a text),
        ``respelt`` (kind of change to a code: rows), ``outside`` (codes whose category is in no chapter of
        the edition), ``edition``.

    Raises:
        UserError: no file, no such column, or rows whose code is none.
    """
    settings = with_defaults(OPTIONS, options)
    if not data.get("file"):
        raise UserError("A table of kind 'texts' needs 'file', the TSV or CSV with its codes and texts.")
    sheet = read_sheet(data["file"], settings["encoding"])
    codes, blocks, respelt = _codes(sheet, settings["code_column"])
    rows = [
        (codes[line], text, lang, "texts")
        for line, text, lang in _texts(sheet, settings)
        if line in codes and text
    ]
    if not rows:
        raise UserError(f"{sheet.origin}: no row has a code and a text.")
    frame = table_frame(rows)
    outside = sorted({code for code in frame["code"] if not in_edition(code[:3], settings["level"])})
    languages = Counter(frame["lang"])
    return frame, {
        "codes": frame["code"].n_unique(),
        "texts": frame.height,
        "texts_by_language": dict(sorted(languages.items())),
        "blocks": blocks,
        "empty": sum(not text for line, text, _ in _texts(sheet, settings) if line in codes),
        "respelt": dict(sorted(respelt.items())),
        "outside": outside,
        "edition": settings["edition"] or EDITIONS[settings["level"]],
    }


def _codes(sheet: Sheet, column: str) -> tuple[dict[int, str], int, Counter]:
    """Return the code of each line that has a single one, how many have not, and what was respelt."""
    at = sheet.column(column)
    found = [(line, cells[at], parse(cells[at])) for line, cells in sheet.rows]
    refuse(
        (f"line {line}: {raw!r}" for line, raw, code in found if code.kind == "invalid"),
        f"{sheet.origin}: these are no ICD-10 codes (column '{column}'):",
    )
    single = [(line, code) for line, _, code in found if code.kind == "single"]
    respelt = Counter(change for _, code in single for change in code.changes)
    return {line: code.codes[0] for line, code in single}, len(found) - len(single), respelt


def _texts(sheet: Sheet, settings: dict) -> list[tuple[int, str, str]]:
    """List (line, text, language) of every cell of the text columns, blanks collapsed."""
    columns = [(sheet.column(name), lang) for name, lang in settings["texts"].items()]
    spoken = None if all(lang for _, lang in columns) else sheet.column(settings["language_column"])
    sign = settings["joined_by"]
    return [
        (line, " ".join(part.split()), lang or cells[spoken].strip())
        for line, cells in sheet.rows
        for at, lang in columns
        for part in (cells[at].split(sign) if sign else [cells[at]])
    ]
