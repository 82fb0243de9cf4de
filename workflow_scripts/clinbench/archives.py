"""Read files that may be unpacked, compressed one by one or inside an archive.

Nothing is ever extracted to disk. A publisher's download can so be pointed at
as it is, whole or unpacked, and gives the same members either way.
"""

import bz2
import gzip
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath

from clinbench.errors import UserError

ARCHIVES = (".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tar", ".zip")
COMPRESSED = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, struct.error),
    *(EOFError, OSError, NotImplementedError, OverflowError, UnicodeDecodeError),
)
LARGEST = 1 << 28  # bytes of a file, ten times the largest of any publisher
MOST = 1 << 33  # bytes of all files that are read of one archive
BLOCK = 1 << 20  # bytes read at a time
Entry = tuple[str, int, Callable[[], bytes]]  # a member's name, its size as declared, and what reads it


@dataclass(frozen=True)
class Member:
    """One file: ``name`` below its root or archive, ``origin`` for messages, its bytes."""

    name: str
    origin: str
    data: bytes


def read_members(root: Path, pattern: str) -> Iterator[Member]:
    """Yield the files whose last path components match ``pattern``, sorted by name.

    Unpacked files below ``root`` (any depth; ``x.csv.gz`` counts as ``x.csv``) are looked at first.
    If none match, the archives below it are: the one named like the pattern's first folder
    (``set-a.tar.xz`` for ``set-a/*.txt``) alone if there is one, else all of them. Hidden files and
    ``__MACOSX`` are passed over. A file that occurs twice with the same bytes is yielded once.

    Args:
        root: a folder, one archive, or one plain file.
        pattern: glob of trailing path components, such as ``set-a/*.txt``.

    Raises:
        UserError: ``root`` is missing or empty; an archive is damaged or holds a link or a path that
            leads out of it; two different files match under the same name; a file is, or unpacks to, more
            than ``LARGEST`` bytes, or an archive's files to more than ``MOST``.
    """
    root = Path(root)
    wanted = PurePosixPath(pattern).parts
    files = _files(root)
    plain = [path for path in files if not _is_archive(path) and _matches(_inner(path, root), wanted)]
    if plain:
        yield from _unique((_read_plain(path, root) for path in plain), len(wanted))
        return
    archives = [path for path in files if _is_archive(path)]
    namesake = [path for path in archives if len(wanted) > 1 and _stem(path) == wanted[0]]
    members = [member for path in namesake or archives for member in _read_archive(path, wanted)]
    yield from _unique(sorted(members, key=lambda member: member.name), len(wanted))


def _files(root: Path) -> list[Path]:
    """List all visible files below ``root``, sorted by their path; links are followed, loops are not."""
    if root.is_file():
        return [root]
    if not root.is_dir():
        raise UserError(f"{root}: no such file or folder. Correct the path in the configuration.")
    found: list[Path] = []
    seen: set[str] = set()
    for folder, folders, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        folders[:] = sorted(name for name in folders if real not in seen and _visible(name))
        found += [] if real in seen else [Path(folder, name) for name in names if _visible(name)]
        seen.add(real)
    if not found:
        raise UserError(f"{root}: the folder is empty. Put the downloaded files into it.")
    return sorted(found, key=lambda path: _inner(path, root))


def _visible(name: str) -> bool:
    return not name.startswith(".") and name != "__MACOSX"


def _is_archive(path: Path) -> bool:
    return path.name.lower().endswith(ARCHIVES)


def _stem(path: Path) -> str:
    """Return an archive's file name without its ending: ``set-a`` of ``set-a.tar.xz``."""
    ending = next(ending for ending in ARCHIVES if path.name.lower().endswith(ending))
    return path.name[: -len(ending)]


def _inner(path: Path, root: Path) -> str:
    """Return the name of a file below ``root``, without the ending of its compression."""
    relative = path.name if path == root else path.relative_to(root).as_posix()
    return relative.removesuffix(path.suffix) if path.suffix in COMPRESSED else relative


def _matches(name: str, wanted: tuple[str, ...]) -> bool:
    last = PurePosixPath(name).parts[-len(wanted) :]
    return len(last) == len(wanted) and all(map(fnmatchcase, last, wanted))


def _read_plain(path: Path, root: Path) -> Member:
    try:
        with COMPRESSED.get(path.suffix, open)(path, "rb") as handle:
            parts, size = [], 0
            while block := handle.read(BLOCK):
                parts.append(block)
                size += len(block)
                _limited(str(path), size)
    except DAMAGE as error:
        raise _damaged(path, error) from error
    return Member(_inner(path, root), str(path), b"".join(parts))


def _read_archive(path: Path, wanted: tuple[str, ...]) -> list[Member]:
    """Read the matching members of one archive, checking the names of all of them."""
    entries = _zip_entries(path, wanted) if path.name.lower().endswith(".zip") else _tar_entries(path, wanted)
    members, size = [], 0
    try:
        for name, declared, read in entries:
            size += declared
            _limited(f"{path}: its member '{name}'", declared)
            _limited(f"{path}: its files up to '{name}'", size, MOST)
            members.append(Member(name, f"{path}: {name}", read()))
    except UserError:
        raise
    except (*DAMAGE, ValueError) as error:  # both libraries convert what a broken header says
        raise _damaged(path, error) from error
    return members


def _limited(what: str, size: int, limit: int | None = None) -> None:
    limit = LARGEST if limit is None else limit
    if size > limit:
        raise UserError(
            f"{what} would fill more than {limit >> 20:,} MiB of memory, the limit, which no data set here comes near; "
            "it is refused. Download it again from its publisher; split a file of your own."
        )


def _tar_entries(path: Path, wanted: tuple[str, ...]) -> Iterator[Entry]:
    with tarfile.open(path, mode="r:*") as archive:
        for entry in archive:
            name = _checked(path, entry.name, entry.isfile() or entry.isdir())
            if entry.isfile() and name and _matches(name, wanted):
                yield name, entry.size, archive.extractfile(entry).read
        # tarfile stops in silence at a broken header, and before a compressor's checksum.
        archive.fileobj.seek(archive.offset)
        while block := archive.fileobj.read(BLOCK):
            if block.strip(b"\0"):
                raise tarfile.ReadError("unreadable data after the last file")


def _zip_entries(path: Path, wanted: tuple[str, ...]) -> Iterator[Entry]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            kind = stat.S_IFMT(entry.external_attr >> 16)
            name = _checked(path, entry.filename, kind in (0, stat.S_IFREG, stat.S_IFDIR))
            if not entry.is_dir() and name and _matches(name, wanted):
                yield name, entry.file_size, partial(_read_zipped, archive, entry, f"{path}: {name}")


def _read_zipped(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, origin: str) -> bytes:
    """Read a member; never more than the size that was declared, however much its data would unpack to."""
    try:
        with archive.open(entry) as handle:
            return handle.read(entry.file_size)
    except (RuntimeError, NotImplementedError) as error:
        raise UserError(f"{origin} cannot be read ({error}). Unpack it yourself.") from error


def _checked(path: Path, name: str, ordinary: bool) -> str:
    """Return a member's tidy name, or an empty string for one that is hidden."""
    pure = PurePosixPath(name.replace("\\", "/"))
    if pure.is_absolute() or ".." in pure.parts or (pure.parts and pure.parts[0].endswith(":")):
        raise UserError(f"{path}: its member '{name}' leads out of the archive; the archive is refused.")
    if not ordinary:
        raise UserError(
            f"{path}: its member '{name}' is a link or a device, not a file; the archive is refused. "
            "Download it again from its publisher."
        )
    return pure.as_posix() if all(map(_visible, pure.parts)) else ""


def _damaged(path: Path, error: BaseException) -> UserError:
    reason = " ".join(str(error).split(":")[0].split())  # tarfile lists all formats it tried, line by line
    return UserError(f"{path}: truncated, damaged or unreadable ({reason}). Download it again.")


def _unique(members: Iterable[Member], depth: int) -> Iterator[Member]:
    """Pass members on, the second of two equal files left out and two different ones refused."""
    seen: dict[tuple[str, ...], tuple[str, int, int]] = {}
    for member in members:
        key = PurePosixPath(member.name).parts[-depth:]
        content = (len(member.data), zlib.crc32(member.data))
        if key not in seen:
            seen[key] = (member.origin, *content)
            yield member
        elif seen[key][1:] != content:
            raise UserError(
                f"Two different files are called {'/'.join(key)}: {seen[key][0]} and {member.origin}. "
                "Keep one of them, or point the configuration at the folder of one."
            )
