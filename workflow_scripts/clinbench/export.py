"""Pack what may leave the site; leave out, with the reason, what may not (docs/credentialed.md)."""

import hashlib
import zipfile
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.files import atomic_path, read_json
from clinbench.governance import reasons_to_refuse

PLACES = ("tables", "figures", "metrics")  # folders of shared outputs
DOTS = "tsne"  # figures of this name show a dot for each stay
NUMBERS = ["subject_id", "hadm_id", "icustay_id"]


def pack(root: Path, archive: Path, titles: dict[str, str], figured: list[str]) -> tuple[dict, dict]:
    """Write the shareable files below ``root`` to a zip archive.

    Args:
        root: folder with ``PLACES`` and ``private``.
        archive: file to write; the same files give the same bytes.
        titles: credentialed cohorts, name to title.
        figured: those whose figures may be shared although they show each stay.

    Returns:
        SHA-256 of each packed file, and the reasons of each file that is left out, by path below ``root``.
    """
    ids = known_ids(root / "private") if titles else set()
    files = [path for place in PLACES for path in sorted((root / place).rglob("*")) if path.is_file()]
    names = {path: path.relative_to(root).as_posix() for path in files}
    refused = {names[path]: why for path in files if (why := reasons(path, ids, titles, figured))}
    packed = [path for path in files if names[path] not in refused]
    with atomic_path(archive) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as out:
        for path in packed:
            out.writestr(zipfile.ZipInfo(names[path]), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return {names[path]: hashlib.sha256(path.read_bytes()).hexdigest() for path in packed}, refused


def known_ids(private: Path) -> set[str]:
    """Collect names and numbers of the patients, admissions and stays of all private cohorts, as text."""
    ids: set[str] = set()
    for file in sorted(private.rglob("*.npz")):
        with np.load(file, allow_pickle=False) as stored:
            ids |= {one for key in ("stays", "patients") if key in stored for one in stored[key].tolist()}
    for file in sorted(private.rglob("stays.parquet")):
        stays = pl.read_parquet(file, columns=NUMBERS)
        ids |= {str(one) for name in NUMBERS for one in stays[name].to_list()}
    return ids


def reasons(path: Path, ids: set[str], titles: dict[str, str], figured: list[str]) -> list[str]:
    """Return why a file stays here: for what it holds, or for whose stays its figure draws."""
    found = reasons_to_refuse(path, ids, credentialed=_concerns(path, titles))
    if path.suffix in (".pdf", ".png") and titles:
        record = path.with_suffix(".run.json")
        drawn = read_json(record).get("settings") if record.is_file() else None
        if not record.is_file() or (drawn is None and path.name.startswith(DOTS)):
            found.append("there is no record of whose stays it shows")
        elif hidden := sorted({key.split("/")[0] for key in drawn or ()} & {*titles} - {*figured}):
            found.append(
                f"it shows single stays of {', '.join(hidden)}; allow_figures: true would share them"
            )
    return found


def _concerns(path: Path, titles: dict[str, str]) -> bool:
    """Tell whether a file's path or text names a credentialed cohort."""
    text = path.read_bytes().decode("utf-8", "ignore") if path.suffix in (".csv", ".json") else ""
    return any(name in path.parts or name in text or title in text for name, title in titles.items())
