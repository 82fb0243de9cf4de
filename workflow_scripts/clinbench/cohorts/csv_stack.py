"""Many small CSV files parsed as one: fast, with every row's file and line kept for messages."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from clinbench.archives import Member
from clinbench.cohorts.csv_rows import STRAY, find_rows, misplaced_quote
from clinbench.errors import UserError, refuse

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Stack:
    """Rows of all files, in file order and line order.

    Attributes:
        frame: M rows of the wanted columns, all text, null where a field is empty.
        file: (M,) int64, index of each row's file.
        line: (M,) int64, its line in that file, the header being line 1.
        origins: name of each file for messages.
        ignored: columns nobody asked for, and in how many files they are.
    """

    frame: pl.DataFrame
    file: np.ndarray
    line: np.ndarray
    origins: list[str]
    ignored: dict[str, int]

    def place(self, row: int) -> str:
        """Name a row's file and line."""
        return f"{self.origins[self.file[row]]}, line {self.line[row]}"

    def field(self, row: int, column: str) -> str:
        """Name a field's file, line, column and text."""
        return f"{self.place(row)}, column '{column}': '{self.frame[column][int(row)] or ''}'"


def stack_csv(members: Sequence[Member], columns: Sequence[str]) -> Stack:
    """Parse comma-separated files; columns are found by name, in any order.

    Line ends may be LF or CRLF; a byte order mark and blank lines are skipped; fields may be quoted; bytes that
    are not UTF-8 become U+FFFD.

    Args:
        members: the files, each with a header line.
        columns: the wanted columns, all of which every file must have.

    Raises:
        UserError: an empty file, a wanted column that is missing or double, a line with too few or too
            many fields, a quote out of place; all of them are listed.
    """
    groups: dict[tuple[bytes, bool], list[tuple[int, bytes]]] = {}
    for index, member in enumerate(members):
        header, body = _parted(member.data)
        groups.setdefault((header, b'"' in member.data), []).append((index, body.rstrip(b"\n")))
    origins = [member.origin for member in members]
    names = {key: _names(*key) for key in groups}
    problems = [
        f"{origins[index]}, line 1: {problem}"
        for key, files in groups.items()
        for problem in _header_problems(names[key], columns)
        for index, _ in files
    ]
    refuse(problems, "Files without the columns that are needed:")
    ignored: Counter[str] = Counter()
    for key, files in groups.items():
        ignored.update({name: len(files) for name in names[key] if name not in columns})
    parts = [_parse(files, names[key], columns, origins, key[1]) for key, files in groups.items()]
    frame = pl.concat([part[0] for part in parts])
    file, line = (np.concatenate([part[i] for part in parts]) for i in (1, 2))
    if len(parts) > 1:
        order = np.lexsort((line, file))
        frame, file, line = frame[order], file[order], line[order]
    return Stack(frame, file, line, origins, dict(sorted(ignored.items())))


def read_header(data: bytes) -> list[str]:
    """Return the column names of a file as ``stack_csv`` finds them; those of an empty one are one empty name."""
    return _names(_parted(data)[0], b'"' in data)


def _parted(data: bytes) -> tuple[bytes, bytes]:
    """Part a file into its first line and the others."""
    data = data.removeprefix(BOM)
    header, _, body = (data.replace(b"\r\n", b"\n") if b"\r" in data else data).partition(b"\n")
    return header, body


def _names(header: bytes, quoted: bool) -> list[str]:
    text = header.decode("utf-8", "replace")
    try:
        return next(csv.reader([text]), [""]) if quoted else text.split(",")
    except csv.Error:  # such as line ends of old Macs, CR alone: told as a header without the wanted columns
        return [text]


def _header_problems(names: list[str], columns: Sequence[str]) -> list[str]:
    if names == [""]:
        return ["the file is empty or begins with an empty line; a header was expected. Make it again."]
    there = ", ".join(names[:20])[:500]
    return [
        f"the header has no column '{column}' (it has: {there})."
        if column not in names
        else f"the header has column '{column}' twice."
        for column in columns
        if names.count(column) != 1
    ]


def _parse(
    files: list[tuple[int, bytes]],
    names: list[str],
    columns: Sequence[str],
    origins: list[str],
    quoted: bool,
) -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    """Parse files with the same header; return the frame, and file and line of each row."""
    bodies = [(index, body) for index, body in files if body]
    if quoted:
        found = ((index, misplaced_quote(body + b"\n")) for index, body in bodies)
        refuse(
            (f"{origins[index]}, line {line + 2}: {STRAY}." for index, line in found if line is not None),
            "Files that are not proper CSV; correct them or make them again:",
        )
    buffer = b"\n".join([*(body for _, body in bodies), b""])
    lines = np.array([body.count(b"\n") + 1 for _, body in bodies], dtype=np.int64)
    file = np.repeat(np.array([index for index, _ in bodies], dtype=np.int64), lines)
    line = np.arange(len(file)) - np.repeat(np.cumsum(lines) - lines, lines) + 2
    rows = find_rows(buffer)
    file, line = file[rows.lines], line[rows.lines]
    problems = (
        f"{origins[file[row]]}, line {line[row]}: {rows.fields[row]} fields where the header has {len(names)}. "
        "The line is cut off or has a stray comma; correct it or make the file again."
        for row in np.flatnonzero((rows.fields != len(names)) & ~rows.blank)
    )
    refuse(problems, "Lines that do not fit their header:")
    file, line, text = file[~rows.blank], line[~rows.blank], rows.without_blank(buffer)
    if not len(file):
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String)), file, line
    frame = pl.read_csv(
        text, has_header=False, new_columns=_distinct(names), infer_schema=False,
        quote_char='"' if quoted else None, encoding="utf8-lossy",
    ).select(columns)  # fmt: skip
    if frame.height != len(file):
        raise UserError(
            f"{origins[file[0]]} and others: {len(file)} lines but {frame.height} rows were read."
        )
    return frame.with_columns(pl.when(pl.all() != "").then(pl.all())) if quoted else frame, file, line


def _distinct(names: list[str]) -> list[str]:
    """Make ignored columns of the same name distinct, which Polars insists on."""
    return [name if name not in names[:i] else f"{name} #{i}" for i, name in enumerate(names)]
