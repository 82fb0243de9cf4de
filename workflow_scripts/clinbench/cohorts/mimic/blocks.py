"""Large CSV files, compressed or not, as blocks of whole rows: constant memory, damage named.

Polars cannot read xz lazily and would expand a gz file as a whole; blocks are decompressed one ahead of
the parser, in a thread.
"""

import csv
import gzip
import lzma
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from clinbench.cohorts.csv_rows import last_row_end
from clinbench.errors import UserError

ENDINGS = (".csv", ".csv.gz", ".csv.xz")
SIZE = 16 << 20  # bytes parsed together
LONGEST = 4 * SIZE  # bytes of a row that does not end; bounds the memory
BOM = b"\xef\xbb\xbf"
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error)


class Block(NamedTuple):
    """Whole rows of a file.

    Attributes:
        text: the rows, each with its line break.
        line: number of the first one's line; the header is line 1.
        share: how much of the file has been read with them, from 0 to 1.
    """

    text: bytes
    line: int
    share: float


def read_header(path: Path) -> list[str]:
    """Return the column names of a CSV file as they are written.

    Raises:
        UserError: the file is empty, damaged or unreadable.
    """
    with _opened(path) as (handle, _):
        line = _read(handle, path, 1 << 16).split(b"\n", 1)[0]
    text = line.removeprefix(BOM).decode("utf-8", "replace").strip()
    if not text:
        raise UserError(f"{path}: the file is empty; a header was expected. Copy or download it again.")
    try:
        return [name.strip() for name in next(csv.reader([text]))]
    except csv.Error as error:  # such as line ends of old Macs, CR alone
        raise UserError(
            f"{path}, line 1: not the header of a CSV file ({error}). Copy or download it again."
        ) from error


def read_blocks(path: Path, size: int = SIZE) -> Iterator[Block]:
    """Yield the rows below the header in blocks, none of which ends inside a quoted field.

    Raises:
        UserError: the file is truncated, damaged or unreadable, or a row does not end for ``LONGEST`` bytes.
    """
    with _opened(path) as (handle, raw), ThreadPoolExecutor(1) as ahead:
        whole = max(path.stat().st_size, 1)
        parts = _parts(handle, path, size)

        def read() -> tuple[bytes, float]:
            return next(parts, b""), raw.tell() / whole

        line = 1
        pending = ahead.submit(read)
        while (found := pending.result())[0]:
            pending = ahead.submit(read)
            part, share = found
            lines = part.count(b"\n")
            if line == 1:
                part = part.partition(b"\n")[2]
            if part:
                yield Block(part, max(line, 2), share)
            line += lines


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open a CSV file, decompressing as its name says; give that and the file as it is."""
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix.lower())
    try:
        raw = open(path, "rb")  # noqa: SIM115
    except OSError as error:
        raise UserError(f"{path}: cannot be opened ({error.strerror or error}).") from error
    with raw:
        yield opener(raw, "rb") if opener else raw, raw


def _parts(handle: BinaryIO, path: Path, size: int) -> Iterator[bytes]:
    """Yield whole rows, about ``size`` bytes at a time; a last line without an end gets one."""
    rest, line = b"", 1
    while data := _read(handle, path, size):
        data = rest + data
        end = last_row_end(data)
        rest = data[end:]
        if end:
            yield data[:end]
            line += data.count(b"\n", 0, end)
        if len(rest) > LONGEST:
            raise UserError(
                f"{path}, line {line}: the row that begins there does not end within {LONGEST >> 20} MB; a quotation "
                "mark is not closed, or line breaks are missing. Correct the line, or copy the file again."
            )
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"


def _read(handle: BinaryIO, path: Path, size: int) -> bytes:
    try:
        return handle.read(size)
    except DAMAGE as error:
        raise UserError(
            f"{path}: truncated, damaged or unreadable ({error}). Copy or download it again."
        ) from error
