"""Open data sets fetched from their publishers: whole files, and counts of what has to be in them.

What is credentialed or has terms to be accepted is never fetched.
"""

import hashlib
import http.client
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clinbench.archives import read_members
from clinbench.errors import UserError, refuse

TIMEOUT = 60  # seconds without a byte
BLOCK = 1 << 20  # bytes read at a time


@dataclass(frozen=True)
class Source:
    """One data set.

    Attributes:
        address: folder of the files, without a slash at its end.
        files: their names.
        lines: pattern of a member to its lines that are not blank, header included.
        members: pattern to the number of members.
        licence: and the page where it stands.
    """

    address: str
    files: tuple[str, ...]
    lines: dict[str, int]
    members: dict[str, int]
    licence: str


# Counts: coding.md 0, 6.1, 6.2; of the challenge, its page.
SOURCES = {
    "codiesp": Source(
        "https://zenodo.org/records/3837305/files",
        ("codiesp.zip",),
        {"trainX.tsv": 9181, "devX.tsv": 4477, "testX.tsv": 4777},
        {},
        "CC BY 4.0, https://doi.org/10.5281/zenodo.3837305",
    ),
    "codiesp_codes": Source(
        "https://zenodo.org/records/3706838/files",
        ("codiesp_codes.zip",),
        {"codiesp-D_codes.tsv": 98288},
        {},
        "CC BY 4.0, https://doi.org/10.5281/zenodo.3706838",
    ),
    "distemist": Source(
        "https://zenodo.org/records/7614764/files",
        ("distemist_zenodo.zip",),
        {
            "distemist_subtrack2_training1_linking_crossmappings.tsv": 1513,
            "distemist_subtrack2_training2_linking_crossmappings.tsv": 3625,
        },
        {},
        "CC BY 4.0, https://doi.org/10.5281/zenodo.7614764",
    ),
    "physionet2012": Source(
        "https://physionet.org/files/challenge-2012/1.0.0",
        (*(f"set-{letter}.tar.gz" for letter in "abc"), *(f"Outcomes-{letter}.txt" for letter in "abc")),
        {f"Outcomes-{letter}.txt": 4001 for letter in "abc"},
        {f"set-{letter}/*.txt": 4000 for letter in "abc"},
        "ODC-BY 1.0, https://physionet.org/content/challenge-2012/1.0.0/",
    ),
}


def download(name: str, source: Source, folder: Path, tell: Callable[[str], None] = print) -> dict:
    """Fetch the files of a data set into an empty folder and check them.

    Args:
        name: of the data set, for messages.
        source: where from, and what must be in it.
        folder: where to; the caller throws it away after an error.
        tell: is told each file before it is fetched.

    Returns:
        ``files``: name to its bytes and SHA-256; ``counts``: pattern to what was counted.

    Raises:
        UserError: a file cannot be fetched or is cut short, or counts are not the published ones.
    """
    files = {}
    for file in source.files:
        address = f"{source.address}/{file}"
        tell(f"{name}: {address} ({source.licence})")
        files[file] = _fetch(address, folder / file, name)
    counts = {pattern: _lines(folder, pattern) for pattern in source.lines}
    counts |= {pattern: sum(1 for _ in read_members(folder, pattern)) for pattern in source.members}
    refuse(
        (
            f"{pattern}: {counts[pattern]:,} found, {expected:,} expected"
            for pattern, expected in {**source.lines, **source.members}.items()
            if counts[pattern] != expected
        ),
        f"{name}: what was downloaded is not the published data set; nothing was kept. Fetch it yourself "
        f"({source.licence}) and name its folder as data.{name}:",
    )
    return {"files": files, "counts": counts}


def _fetch(address: str, path: Path, name: str) -> dict[str, object]:
    """Write one file and return its bytes and SHA-256."""
    remedy = f"Try again, or fetch it yourself and name its folder as data.{name}."
    digest, size = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT) as answer, open(path, "wb") as handle:
            length = answer.headers.get("Content-Length", "")
            expected = int(length) if length.isdecimal() else None
            if expected and expected > shutil.disk_usage(path.parent).free:
                raise UserError(f"{address}: {expected:,} bytes do not fit on the disk of {path.parent}.")
            while block := answer.read(BLOCK):
                handle.write(block)
                digest.update(block)
                size += len(block)
    except (OSError, urllib.error.URLError, http.client.HTTPException) as error:
        raise UserError(f"{address} could not be downloaded ({error}). {remedy}") from error
    if expected is not None and size != expected:
        raise UserError(f"{address}: {size:,} of {expected:,} bytes arrived. {remedy}")
    return {"bytes": size, "sha256": digest.hexdigest()}


def _lines(folder: Path, pattern: str) -> int:
    """Count the lines of the members of a pattern that are not blank."""
    return sum(
        sum(1 for line in member.data.split(b"\n") if line.strip())
        for member in read_members(folder, pattern)
    )
