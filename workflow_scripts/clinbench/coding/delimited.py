"""Delimited files with a header line, as users export them: tab, semicolon or comma, plain or compressed.

Tab-separated files have no quoting; in the others a cell may stand in double quotes. Cells are never
interpreted: ``NA`` stays ``NA``.
"""

import codecs
import csv
import io
import sys
from pathlib import Path
from typing import NamedTuple

from clinbench.archives import read_members
from clinbench.coding.tsv import decode, split_cells
from clinbench.errors import UserError, closest, refuse

SEPARATORS = "\t;,"


class Sheet(NamedTuple):
    """A file's content: ``names`` of its columns, ``rows`` of (line number, cells), ``origin`` for messages."""

    names: list[str]
    rows: list[tuple[int, list[str]]]
    origin: str

    def column(self, name: str) -> int:
        """Return where a column stands.

        Raises:
            UserError: there is none of that name; those there are are named.
        """
        if name not in self.names:
            raise UserError(
                f"{self.origin}: no column '{name}'{closest(name, self.names)}; there are: {', '.join(self.names)}."
            )
        return self.names.index(name)


def read_sheet(path: Path, encoding: str = "utf-8") -> Sheet:
    """Read one file; its separator is the one that parts the header line into most cells.

    Raises:
        UserError: no such file, several files, an unknown or wrong encoding, ragged lines, no line below the
            header, or a name that stands over two columns.
    """
    try:
        "x".encode(encoding)
    except (LookupError, ValueError):  # there is none, or it is none of text
        raise UserError(f"{path}: there is no encoding '{encoding}'; try utf-8 or iso-8859-1.") from None
    members = list(read_members(path, "*"))
    if len(members) != 1:
        raise UserError(f"{path}: one file is needed here, found {len(members)}.")
    data, origin = members[0].data, members[0].origin
    text = _decoded(data, encoding, origin)
    head = text.split("\n", 1)[0]
    separator = max(SEPARATORS, key=head.count)
    rows = _split_tabs(text, origin) if separator == "\t" else _split_quoted(text, separator, origin)
    if len(rows) < 2:
        raise UserError(f"{origin}: a header line and rows below it are needed; {len(rows)} line(s) found.")
    names = [name.strip() for name in rows[0][1]]
    refuse(
        (f"'{name}'" for name in dict.fromkeys(names) if names.count(name) > 1),
        f"{origin}, line 1: names that stand over two columns:",
    )
    return Sheet(names, rows[1:], origin)


def _decoded(data: bytes, encoding: str, origin: str) -> str:
    if codecs.lookup(encoding).name == "utf-8":
        return decode(data, origin)[0]
    try:
        text = data.decode(encoding)
        text.encode("utf-8")  # some encodings have halves of characters
        return text
    except UnicodeDecodeError as error:
        raise UserError(f"{origin}: not {encoding} (byte 0x{data[error.start]:02x}).") from error
    except UnicodeError as error:
        raise UserError(f"{origin}: not {encoding} ({error.args[0]}).") from error


def _split_tabs(text: str, origin: str) -> list[tuple[int, list[str]]]:
    columns = text.split("\n", 1)[0].rstrip("\r").count("\t") + 1
    return list(enumerate(split_cells(text, origin, columns), 1))


def _split_quoted(text: str, separator: str, origin: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    csv.field_size_limit(sys.maxsize)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UserError(f"{origin}, line {reader.line_num}: cannot be read as CSV ({error}).") from error
    width = len(rows[0][1]) if rows else 0
    refuse(
        (f"line {at}: {len(row)} cells, expected {width}" for at, row in rows if len(row) != width),
        f"{origin}: lines with a wrong number of cells:",
    )
    return rows
