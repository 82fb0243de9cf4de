"""The one way files are written: temporary name in the same folder, fsync, rename; and text and JSON read back."""

import errno
import glob
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clinbench.errors import UserError

FULL = os.strerror(errno.ENOSPC)
SUFFIX = ".tmp"  # of a file or folder that is being written


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary file path that becomes ``path`` only if the block succeeds.

    Raises:
        UserError: the folder cannot be written, or the disk is full.
    """
    path = Path(path)
    temporary = _sibling(path)
    try:
        with _full_disk_told(path):
            yield temporary
        with open(temporary, "rb") as handle:
            os.fsync(handle.fileno())
        temporary.chmod(0o666 & ~_umask())  # some writers make files only their owner can read
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: str | Path, durable: bool = True) -> Iterator[Path]:
    """Yield an empty temporary folder that replaces ``path`` only if the block succeeds.

    Args:
        path: the folder to make.
        durable: sync every file to disk first; False for thousands of files that can be made again.

    Raises:
        UserError: the folder cannot be written, or the disk is full.
    """
    path = Path(path)
    temporary, aside = _sibling(path), _sibling(path)
    temporary.mkdir()
    try:
        with _full_disk_told(path):
            yield temporary
        for file in temporary.rglob("*"):
            if durable and file.is_file():
                with open(file, "rb") as handle:
                    os.fsync(handle.fileno())
        if path.exists():  # moved aside: a kill never leaves a half-deleted folder under this name
            os.replace(path, aside)
        os.replace(temporary, path)
    finally:
        for leftover in (temporary, aside):
            shutil.rmtree(leftover, ignore_errors=True)


def sweep(paths: Iterable[str | Path]) -> None:
    """Remove what killed writers of these files and folders left beside them; nobody else may be writing them."""
    for path in map(Path, paths):
        for leftover in path.parent.glob(f".{glob.escape(path.name)}.*{SUFFIX}"):
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink(missing_ok=True)


def require_space(folder: str | Path, size: int, what: str) -> None:
    """Say before hours of work that a disk is too full.

    Args:
        folder: an existing folder on the disk.
        size: bytes that will be needed.
        what: what they are needed for.

    Raises:
        UserError: fewer bytes are free.
    """
    free = shutil.disk_usage(folder).free
    if free < size:
        raise UserError(
            f"{folder}: {what} need about {size / 2**30:.1f} GiB, {free / 2**30:.1f} GiB are free. "
            "Free some space, or run with --directory on another disk."
        )


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text atomically, with ``\\n`` line ends."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(text.encode("utf-8"))


def write_json(path: str | Path, value: object) -> None:
    """Write JSON atomically: indented, keys in the given order, NaN refused."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_text(path: str | Path) -> str:
    """Read a UTF-8 file, without a byte-order mark; other bytes are a ``UserError`` naming file and line."""
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{path}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8. Save the file as UTF-8."
        ) from error


def read_json(path: str | Path) -> dict:
    """Read a JSON file; a broken one is a ``UserError`` naming file and line."""
    try:
        return parse_json(read_text(path))
    except JsonError as error:
        raise UserError(f"{path}, line {error.line}: not valid JSON ({error}).") from error


class JsonError(ValueError):
    """Text that is no JSON; ``line`` is where, from 1."""

    def __init__(self, message: str, line: int):
        super().__init__(message)
        self.line = line


def parse_json(text: str) -> Any:
    """Parse JSON; all that can go wrong, endless nesting and numbers included, is a ``JsonError``."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise JsonError(error.msg, error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise JsonError(str(error), 1) from error


@contextmanager
def _full_disk_told(path: Path) -> Iterator[None]:
    """Turn a full disk, which every writer reports in its own way, into a message."""
    try:
        yield
    except Exception as error:
        if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or FULL in str(error):
            raise UserError(
                f"Cannot write {path}: the disk is full. Free some space and run again."
            ) from error
        raise


def _umask() -> int:
    """Return the process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sibling(path: Path) -> Path:
    """Name a fresh temporary sibling of ``path``, making its folder first."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        name = tempfile.mktemp(prefix=f".{path.name}.", suffix=SUFFIX, dir=path.parent)
        if not os.access(path.parent, os.W_OK):
            raise PermissionError(f"no write permission on {path.parent}")
    except OSError as error:
        raise UserError(f"Cannot write {path}: {error}. Choose a writable folder.") from error
    return Path(name)


def named_parts(path: str) -> dict[str, str]:
    """Return what a path says of its cell: batch=64/seed=0 gives {"batch": "64", "seed": "0"}."""
    return dict(item.split("=", 1) for part in Path(path).parts for item in part.split(",") if "=" in item)
