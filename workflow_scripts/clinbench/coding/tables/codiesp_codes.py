"""CIE-10-ES 2018 diagnoses as published with CodiEsp: ``codiesp-D_codes.tsv`` (code, Spanish, English)."""

import sys
from collections import Counter
from pathlib import Path

import polars as pl

from clinbench.archives import read_members
from clinbench.coding.codes import parse
from clinbench.coding.frames import table_frame
from clinbench.coding.tsv import decode, split_cells
from clinbench.errors import UserError, refuse

TITLE = "CIE-10-ES 2018 (CodiEsp's list of valid codes)"
EDITION = "CIE-10-ES 2018"
LANG = "es"
DATA = {
    "codiesp_codes": "CodiEsp list of valid codes (codiesp-D_codes.tsv, also inside codiesp_codes.zip), "
    "Barcelona Supercomputing Center, https://doi.org/10.5281/zenodo.3706838, CC BY 4.0.",
}
OPTIONS = {
    "language": {
        "enum": ["es", "en"],
        "default": "es",
        "description": "Language of the descriptions; a code that lacks one keeps the other language's.",
    },
}
FILE = "codiesp-D_codes.tsv"


def load(data: dict[str, Path], options: dict) -> tuple[pl.DataFrame, dict]:
    """Read the list of valid codes; codes in any case, with or without dot.

    Returns:
        The codes table (``frames.TABLE``) and counts: ``codes``, ``texts``, ``encoding``,
        ``respelt`` (kind of change to a code: rows), ``other_language`` (rows described in the other
        language) and ``undescribed`` (codes left out because neither language has a description).

    Raises:
        UserError: no such file, a header line, lines without exactly 3 columns, or malformed codes.
    """
    language = options.get("language", OPTIONS["language"]["default"])
    cells, origin, encoding = _read(data)
    respelt, rows, undescribed, borrowed = Counter(), [], [], 0
    for raw, spanish, english in cells:
        found = parse(raw)
        respelt.update(found.changes)
        texts = {"es": " ".join(spanish.split()), "en": " ".join(english.split())}
        lang = language if texts[language] else ("en" if language == "es" else "es")
        if not texts[lang]:
            undescribed.append(found.codes[0])
            continue
        borrowed += lang != language
        rows.append((found.codes[0], texts[lang], lang, "codiesp_codes"))
    if undescribed:
        shown = ", ".join(undescribed[:10])
        print(
            f"{origin}: {len(undescribed)} code(s) without any description left out: {shown}", file=sys.stderr
        )
    if not rows:
        raise UserError(f"{origin}: no code has a description.")
    frame = table_frame(rows)
    return frame, {
        "codes": frame["code"].n_unique(),
        "texts": frame.height,
        "encoding": encoding,
        "respelt": dict(sorted(respelt.items())),
        "other_language": borrowed,
        "undescribed": len(undescribed),
    }


def _read(data: dict[str, Path]) -> tuple[list[list[str]], str, str]:
    """Return the rows of the one file of diagnosis codes, all with well-formed codes."""
    if not data.get("codiesp_codes"):
        raise UserError(f"Set 'codiesp_codes' under 'data:' to {FILE}, its folder or codiesp_codes.zip.")
    member = next(iter(read_members(data["codiesp_codes"], FILE)), None)
    if member is None:
        raise UserError(f"{data['codiesp_codes']}: no {FILE} there, unpacked or in a zip archive.")
    text, encoding = decode(member.data, member.origin, fallback="cp1252")
    if encoding != "utf-8":
        print(f"{member.origin}: not UTF-8; read as Windows-1252.", file=sys.stderr)
    cells = split_cells(text, member.origin, 3)
    wrong = [(at, row[0]) for at, row in enumerate(cells, 1) if parse(row[0]).kind != "single"]
    if wrong and wrong[0][0] == 1 and not any(sign.isdigit() for sign in wrong[0][1]):
        raise UserError(
            f"{member.origin}, line 1: the first cell is {wrong[0][1]!r}, which looks like a header; the "
            "publisher's file has none. Remove that line."
        )
    refuse(
        (f"line {at}: {code!r}" for at, code in wrong), f"{member.origin}: these are no single ICD-10 codes:"
    )
    return cells, member.origin, encoding
