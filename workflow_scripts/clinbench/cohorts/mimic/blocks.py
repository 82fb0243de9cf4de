"""Large CSV files, compressed or not, as blocks of whole lines: constant memory, damage named.

Polars cannot read xz lazily and would expand a gz file as a whole; blocks are decompressed one ahead of
the parser, in a thread.
"""

import gzip
import lzma
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

from clinbench.errors import UserError

ENDINGS = (".csv", ".csv.gz", ".csv.xz")
SIZE = 16 << 20  # bytes parsed together
BOM = b"\xef\xbb\xbf"
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error)


def read_header(path: Path) -> list[str]:
    """Return the column names of a CSV file as they are written.

    Raises:
        UserError: the file is empty, damaged or unreadable.
    """
    with opened(path) as handle:
        line = _read(handle, path, 1 << 16).split(b"\n", 1)[0]
    names = line.removeprefix(BOM).decode("utf-8", "replace").strip().split(",")
    if names == [""]:
        raise UserError(f"{path}: the file is empty; a header was expected. Copy or download it again.")
    return [name.strip().strip('"') for name in names]


def read_blocks(path: Path, size: int = SIZE) -> Iterator[tuple[bytes, int]]:
    """Yield the lines below the header in blocks, each with the number of its first line (header = 1).

    A block ends with a line, never inside a quoted field.

    Raises:
        UserError: the file is truncated, damaged or unreadable.
    """
    with opened(path) as handle, ThreadPoolExecutor(1) as ahead:
        parts = _parts(handle, path, size)
        line = 1
        pending = ahead.submit(next, parts, b"")
        while part := pending.result():
            pending = ahead.submit(next, parts, b"")
            lines = part.count(b"\n")
            if line == 1:
                part = part.partition(b"\n")[2]
            if part:
                yield part, max(line, 2)
            line += lines


def opened(path: Path) -> BinaryIO:
    """Open a CSV file for reading, decompressing as its name says."""
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix.lower(), open)
    try:
        return opener(path, "rb")
    except OSError as error:
        raise UserError(f"{path}: cannot be opened ({error.strerror or error}).") from error


def _parts(handle: BinaryIO, path: Path, size: int) -> Iterator[bytes]:
    """Yield whole lines, about ``size`` bytes at a time; a last line without an end gets one."""
    rest = b""
    while data := _read(handle, path, size):
        data = rest + data
        end = _last_line_end(data)
        rest = data[end:]
        if end:
            yield data[:end]
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"


def _last_line_end(data: bytes) -> int:
    """Return where the last whole line ends: after a line break with an even number of quotes before it."""
    end = data.rfind(b"\n") + 1
    if data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, data.rfind(b'"', 0, end)) + 1  # the break before the open quote's line
        while end and data.count(b'"', 0, end) % 2:
            end = data.rfind(b"\n", 0, end - 1) + 1
    return end


def _read(handle: BinaryIO, path: Path, size: int) -> bytes:
    try:
        return handle.read(size)
    except DAMAGE as error:
        raise UserError(
            f"{path}: truncated, damaged or unreadable ({error}). Copy or download it again."
        ) from error
