"""A user's own mentions: one file with the columns ``query, code`` and, if there, ``split, lang, doc``."""

from collections import Counter, defaultdict
from pathlib import Path

import polars as pl

from clinbench.coding.codes import resolve
from clinbench.coding.delimited import Sheet, read_sheet
from clinbench.coding.frames import SPLITS, queries_frame
from clinbench.coding.gold import alternatives, spelling
from clinbench.defaults import with_defaults
from clinbench.errors import UserError, refuse

TITLE = "mentions of the user's"
ACCESS = "credentialed"  # until its entry says open
SYNTHETIC = False
DATA = {
    "mentions": "Your own mentions: a TSV or CSV with a header line and the columns query, code and, if you have "
    "them, split (train, val, test), lang and doc.",
}
TABLES = ("codiesp_codes", "icd10cm")
OPTIONS = {
    "language": {
        "type": "string",
        "default": "es",
        "description": "Language of the mentions where the file has no column `lang`.",
    },
    "encoding": {"type": "string", "default": "utf-8", "description": "Encoding of the file."},
}
COLUMNS = ("query", "code", "split", "lang", "doc")


def load(data: dict[str, Path], options: dict, table: pl.DataFrame) -> tuple[pl.DataFrame, dict]:
    """Return one query for every row; without a column ``split`` all of them test.

    ``query_id`` is ``line:`` and the row's line in the file. Codes in any spelling; ``A00+B00`` is right for
    either, ``I10-I15`` for any code in it. Without a column ``doc`` every row is a document of its own.

    Returns:
        The queries frame (``frames.QUERIES``) and counts: ``queries`` (split: rows), ``documents``,
        ``distinct_mentions``, ``respelt``, ``unused_columns``, ``unknown_rows``, ``unknown_codes``,
        ``unknown_places`` (code: places), ``pool``.

    Raises:
        UserError: no file, no column ``query`` or ``code``, or rows that cannot be used, each with its line.
    """
    settings = with_defaults(OPTIONS, options)
    if not data.get("mentions"):
        raise UserError("Set 'mentions' under 'data:' to your file of mentions (columns query, code).")
    sheet = read_sheet(data["mentions"], settings["encoding"])
    known = set(table["code"])
    rows, problems, respelt, unknown = [], [], Counter(), defaultdict(list)
    for line, cells in _records(sheet):
        found = resolve(cells["code"], known)
        split = cells.get("split") or "test"
        if found.kind == "invalid":
            problems.append(f"line {line}: {cells['code']!r} is no ICD-10 code")
        elif not cells["query"]:
            problems.append(f"line {line}: the mention is empty")
        elif split not in SPLITS:
            problems.append(f"line {line}: split '{split}' is none of {', '.join(SPLITS)}")
        else:
            cell = spelling(found)
            respelt.update(found.changes)
            if not known.intersection(alternatives(cell, known)):
                unknown[found.codes[0]].append(f"line {line}")
            lang, doc = cells.get("lang") or settings["language"], cells.get("doc") or f"line:{line}"
            rows.append((f"line:{line}", split, cells["query"], cell, doc, lang))
    refuse(problems, f"{sheet.origin}: rows that cannot be used:")
    frame = queries_frame(rows)
    return frame, {
        "queries": dict(sorted(Counter(frame["split"]).items())),
        "documents": frame["doc"].n_unique(),
        "distinct_mentions": frame["query"].n_unique(),
        "respelt": dict(sorted(respelt.items())),
        "unused_columns": [name for name in sheet.names if name not in COLUMNS],
        "unknown_rows": sum(map(len, unknown.values())),
        "unknown_codes": sorted(unknown),
        "unknown_places": dict(unknown),
        "pool": len(known),
    }


def _records(sheet: Sheet) -> list[tuple[int, dict[str, str]]]:
    """Return each row's line and its cells by column, blanks collapsed."""
    for name in COLUMNS[:2]:
        sheet.column(name)
    at = {name: sheet.column(name) for name in COLUMNS if name in sheet.names}
    return [
        (line, {name: " ".join(cells[place].split()) for name, place in at.items()})
        for line, cells in sheet.rows
    ]
