"""Pack what may leave the site; leave out, with the reason, what may not (docs/credentialed.md)."""

import csv
import hashlib
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.errors import UserError
from clinbench.files import atomic_path, read_json
from clinbench.shareable import PICTURES, Site, reasons_to_refuse

PLACES = ("tables", "figures", "metrics")  # folders of shared outputs
STORES = ("risk", "coding", "scores")  # folders of private data, one folder a cohort or benchmark
DOTS = "tsne"  # figures of this name show a dot for each stay
IDS = {
    *("stay", "stays", "stay_id", "subject_id", "hadm_id", "icustay_id", "recordid"),
    *("patient", "patients", "patient_id", "mrn", "doc", "query_id"),
}


def pack(
    root: Path,
    archive: Path,
    results: Sequence[Sequence[str]],
    titles: dict[str, str],
    figured: Iterable[str],
) -> tuple[dict, dict]:
    """Write the shareable results below ``root`` to a zip archive.

    Args:
        root: folder with ``PLACES`` and ``private``.
        archive: file to write; the same files give the same bytes.
        results: the files of each result that the workflow makes, below ``root``: all formats of a table or figure,
            and its run record. Nothing else is packed, and a result whole or not at all.
        titles: credentialed cohorts and benchmarks, name to title; those found in ``private`` count as well.
        figured: those whose figures may be shared although they show each stay.

    Returns:
        SHA-256 of each packed file, and the reasons of each that is left out, by path below ``root``. Files that are no
        result are counted by folder: their names may be ids.

    Raises:
        UserError: a private file cannot be read, so that its ids are not known.
    """
    whole, refused = admitted(root, results, known_site(root / "private", titles), {*figured})
    packed = {name: (root / name).read_bytes() for result in whole for name in result}
    with atomic_path(archive) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in sorted(packed.items()):
            out.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    refused |= _strays(root, {*packed, *refused})
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(packed.items())}, refused


def admitted(
    root: Path, results: Sequence[Sequence[str]], site: Site, figured: set[str]
) -> tuple[list[list[str]], dict[str, list[str]]]:
    """Part results in those that may be shared, each with its files that are there, and reasons by file of the rest.

    Args:
        root, results, figured: as ``pack``.
        site: of ``known_site``.
    """
    whole, refused = [], {}
    for result in results:
        there = [name for name in result if (root / name).is_file()]
        found = {name: reasons(root / name, _record(root, there), site, figured) for name in there}
        if any(found.values()):
            refused |= {
                name: why or ["it belongs to a file that may not leave"] for name, why in found.items()
            }
        elif there:
            whole.append(there)
    return whole, refused


def known_site(private: Path, titles: dict[str, str]) -> Site:
    """Collect what is known of all data under ``private``, of whatever configuration they came from."""
    titles = {path.name: path.name for store in STORES for path in _folders(private / store)} | titles
    ids, sizes = set(), {}
    for file in sorted(path for path in private.rglob("*") if path.is_file()):
        try:
            ids |= _ids(file)
            if file.suffix == ".npz" and (splits := _arrays(file, {"split"})):
                name = file.relative_to(private).parts[1]
                smallest = min(Counter(splits[0]).values(), default=0)
                sizes[name] = min(sizes.get(name, smallest), smallest)
        except Exception as error:
            raise UserError(
                f"A {file.suffix} file in {file.parent} cannot be read ({type(error).__name__}), so it is not known "
                "which ids must not leave the site. Delete it and run the workflow again."
            ) from error
    return Site(frozenset(ids - {""}), titles, sizes)


def _folders(store: Path) -> list[Path]:
    return [path for path in store.iterdir() if path.is_dir()] if store.is_dir() else []


def _ids(file: Path) -> set[str]:
    """Return what stands in the columns ``IDS`` of a private file, as text."""
    if file.suffix == ".npz":
        return {str(one) for column in _arrays(file, IDS) for one in column}
    if file.suffix == ".parquet":
        names = [name for name in pl.read_parquet_schema(file) if name.lower() in IDS]
        frame = pl.read_parquet(file, columns=names)
        return {str(one) for name in names for one in frame[name].unique().to_list()}
    if file.suffix not in (".csv", ".tsv"):
        return set()
    with open(file, newline="", encoding="utf-8") as handle:
        rows = csv.reader(handle, delimiter="\t" if file.suffix == ".tsv" else ",")
        wanted = [at for at, name in enumerate(next(rows, [])) if name.strip().lower() in IDS]
        return {row[at] for row in rows for at in wanted if at < len(row)} if wanted else set()


def _arrays(file: Path, names: set[str]) -> list[list]:
    with np.load(file, allow_pickle=False) as stored:
        return [stored[name].tolist() for name in names & {*stored.files}]


def reasons(path: Path, record: Path | None, site: Site, figured: set[str]) -> list[str]:
    """Return why a file stays here: for what it holds, or for whose stays its figure draws."""
    found = reasons_to_refuse(path, site)
    if path.suffix in PICTURES and site.titles:
        drawn = read_json(record).get("settings") if record else None
        if record is None or (drawn is None and path.name.startswith(DOTS)):
            found.append("there is no record of whose stays it shows")
        elif hidden := sorted({key.split("/")[0] for key in drawn or ()} & {*site.titles} - figured):
            found.append(
                f"it shows single stays of {', '.join(hidden)}; allow_figures: true would share them"
            )
    return found


def _record(root: Path, result: Sequence[str]) -> Path | None:
    """Return the run record of a result."""
    return next((root / name for name in result if name.endswith(".run.json")), None)


def _strays(root: Path, known: set[str]) -> dict[str, list[str]]:
    """Count the files that are no result of the configured workflow, by place."""
    files = {place: [path for path in (root / place).rglob("*") if path.is_file()] for place in PLACES}
    counts = {
        place: sum(path.relative_to(root).as_posix() not in known for path in found)
        for place, found in files.items()
    }
    return {
        f"{place}/": [f"{count} files are no results of this configuration"]
        for place, count in counts.items()
        if count
    }
