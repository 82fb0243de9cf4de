"""CodiEsp v4: Spanish mentions with their gold CIE-10-ES diagnosis code (coding.md sections 3.1 and 6.1)."""

import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import polars as pl

from clinbench.archives import read_members
from clinbench.coding.codes import parse, strip_placeholder
from clinbench.coding.frames import queries_frame
from clinbench.coding.tsv import decode, split_cells
from clinbench.defaults import with_defaults
from clinbench.errors import UserError, refuse
from clinbench.runtime import cell_seed

TITLE = "CodiEsp v4 diagnoses"
ACCESS = "open"
SYNTHETIC = False
DATA = {
    "codiesp": "CodiEsp corpus v4 (codiesp.zip or its unpacked folder), Barcelona Supercomputing Center, "
    "https://doi.org/10.5281/zenodo.3837305, CC BY 4.0.",
}
TABLES = ("codiesp_codes", "icd10cm")
OPTIONS = {
    "train": {
        "type": "array",
        "items": {"enum": ["train", "dev", "test"]},
        "minItems": 1,
        "uniqueItems": True,
        "default": ["train"],
        "description": "Parts of the corpus that train and validate.",
    },
    "test": {
        "type": "array",
        "items": {"enum": ["train", "dev", "test"]},
        "minItems": 1,
        "uniqueItems": True,
        "default": ["dev"],
        "description": "Parts of the corpus that test.",
    },
    "validation_fraction": {
        "type": "number",
        "minimum": 0,
        "exclusiveMaximum": 1,
        "default": 0.1,
        "description": "Share of the training documents held out to validate (0 to 1).",
    },
    "drop_first_row": {
        "type": "boolean",
        "default": False,
        "description": "Drop each file's first row, as a reader that expects a header does: 3,664 test pairs "
        "instead of 3,665.",
    },
}
LABELS = ("DIAGNOSTICO", "PROCEDIMIENTO")
# Rows labelled DIAGNOSTICO in the publisher's files.
PUBLISHED = {"train": 7209, "dev": 3431, "test": 3665}


class Mention(NamedTuple):
    """One DIAGNOSTICO row: ``row`` counts from 1 over all rows of its X file, ``pieces`` the parts of its text."""

    part: str
    row: int
    doc: str
    code: str
    text: str
    pieces: int


def load(data: dict[str, Path], options: dict, table: pl.DataFrame) -> tuple[pl.DataFrame, dict]:
    """Return one query for every DIAGNOSTICO row of the chosen parts.

    ``query_id`` is part and 1-based row of the X file, ``dev:17``. A query whose gold code is not in
    the table stays: it cannot be answered and counts as wrong; such codes are counted, and told with their places.

    Returns:
        The queries frame (``frames.QUERIES``) and counts: ``rows`` (part: label: rows), ``published``,
        ``queries`` (split: rows), ``documents``, ``distinct_mentions``, ``blanks_collapsed``,
        ``respelt`` (kind of change to a code: rows), ``placeholders_stripped``, ``unknown_rows``,
        ``unknown_codes``, ``unknown_places`` (code: places), ``pool``.

    Raises:
        UserError: no corpus, an unknown part, a part in train and test, a header line, lines without
            exactly 5 columns, unknown labels, malformed codes, empty mentions, a document in two parts.
    """
    settings = with_defaults(OPTIONS, options)
    parts = _chosen_parts(settings)
    known = set(table["code"])
    info: dict = {"rows": {}, "published": {part: PUBLISHED[part] for part in parts}, "blanks_collapsed": 0}
    mentions = [
        mention for part in parts for mention in _mentions(data, part, settings["drop_first_row"], info)
    ]
    _check_documents(mentions)
    rows, respelt, stripped, unknown = [], Counter(), 0, {}
    for mention in mentions:
        found = parse(mention.code)
        code = strip_placeholder(found.codes[0], known)
        respelt.update(found.changes)
        stripped += code != found.codes[0]
        if code not in known:
            unknown.setdefault(code, []).append(f"{mention.part}X.tsv row {mention.row}")
        split = "test" if mention.part in settings["test"] else _split(mention.doc, settings)
        rows.append((f"{mention.part}:{mention.row}", split, mention.text, code, mention.doc, "es"))
    frame = queries_frame(rows, [str(mention.pieces) for mention in mentions])
    info |= {
        "queries": dict(sorted(Counter(frame["split"]).items())),
        "documents": frame["doc"].n_unique(),
        "distinct_mentions": frame["query"].n_unique(),
        "respelt": dict(sorted(respelt.items())),
        "placeholders_stripped": stripped,
        "unknown_rows": sum(map(len, unknown.values())),
        "unknown_codes": sorted(unknown),
        "unknown_places": unknown,
        "pool": len(known),
    }
    return frame, info


def _chosen_parts(settings: dict) -> list[str]:
    parts = [*settings["train"], *settings["test"]]
    problems = [f"there is no part '{part}'" for part in parts if part not in PUBLISHED]
    problems += [
        f"'{part}' is in train and in test" for part in settings["train"] if part in settings["test"]
    ]
    refuse(problems, f"codiesp: the parts are {', '.join(PUBLISHED)}, each for one use:")
    return list(dict.fromkeys(parts))


def _mentions(data: dict[str, Path], part: str, drop_first: bool, info: dict) -> list[Mention]:
    """Read one X file's DIAGNOSTICO rows and add its counts to ``info``."""
    text, origin = _read(data, part)
    cells = split_cells(text, origin, 5)
    _check_header(cells[0], origin)
    refuse(_problems(cells), f"{origin}: rows that cannot be used:")
    cells = list(enumerate(cells, 1))[int(drop_first) :]
    info["rows"][part] = dict(sorted(Counter(row[1] for _, row in cells).items()))
    count = info["rows"][part].get(LABELS[0], 0)
    if count != PUBLISHED[part]:
        print(
            f"{origin}: {count} {LABELS[0]} rows, the publisher's v4 has {PUBLISHED[part]}.", file=sys.stderr
        )
    found = []
    for at, (doc, label, code, mention, position) in cells:
        if label == LABELS[0]:
            tidy = " ".join(mention.split())
            info["blanks_collapsed"] += tidy != mention
            found.append(Mention(part, at, doc.strip(), code, tidy, position.count(";") + 1))
    return found


def _read(data: dict[str, Path], part: str) -> tuple[str, str]:
    root = data.get("codiesp")
    if not root:
        raise UserError("Set 'codiesp' under 'data:' to the folder of the CodiEsp corpus or to codiesp.zip.")
    member = next(iter(read_members(root, f"{part}X.tsv")), None)
    if member is None:
        there = [found.name for found in read_members(root, "*X.tsv")]
        raise UserError(
            f"{root}: no {part}X.tsv there, unpacked or in a zip archive. "
            + (
                f"There are: {', '.join(there)}."
                if there
                else "No file there is named like those of CodiEsp."
            )
        )
    return decode(member.data, member.origin)[0], member.origin


def _check_header(row: list[str], origin: str) -> None:
    """Refuse a first line that is no data, by what stands in it."""
    if row[1] not in LABELS and not any(sign.isdigit() for sign in row[4]):
        raise UserError(
            f"{origin}, line 1: the first cell is {row[0]!r}, which looks like a header and not like a "
            "document id; the publisher's files have no header. Remove that line."
        )


def _problems(cells: list[list[str]]) -> list[str]:
    """Name what is wrong with the rows of an X file, one sentence each."""
    problems = []
    for at, (doc, label, code, mention, _) in enumerate(cells, 1):
        if label not in LABELS:
            problems.append(f"line {at}: label {label!r} is none of {', '.join(LABELS)}")
        elif not doc.strip():
            problems.append(f"line {at}: the document id is empty")
        elif label == LABELS[0] and parse(code).kind != "single":
            problems.append(f"line {at}: {code!r} is not one ICD-10 code ({parse(code).kind})")
        elif label == LABELS[0] and not mention.strip():
            problems.append(f"line {at}: the mention is empty")
    return problems


def _check_documents(mentions: list[Mention]) -> None:
    homes: dict[str, set[str]] = {}
    for mention in mentions:
        homes.setdefault(mention.doc, set()).add(mention.part)
    refuse(
        (f"{doc}: {' and '.join(sorted(parts))}" for doc, parts in homes.items() if len(parts) > 1),
        "codiesp: documents that stand in two parts:",
    )


def _split(doc: str, settings: dict) -> str:
    """Assign a training document by a hash that is the same on every machine."""
    return "val" if cell_seed("codiesp", doc) / 2**31 < settings["validation_fraction"] else "train"
