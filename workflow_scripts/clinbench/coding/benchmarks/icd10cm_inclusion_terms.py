"""Inclusion terms of the ICD-10-CM tabular list as queries: English, open, no patient behind them.

An inclusion term is a condition that the tabular list files under a code ("Classical cholera" under
A00.0); the system must find that code from its official description alone.
"""

from collections import Counter, defaultdict
from pathlib import Path

import polars as pl

from clinbench.coding.codes import level
from clinbench.coding.frames import queries_frame
from clinbench.coding.text import fold
from clinbench.defaults import with_defaults
from clinbench.errors import UserError
from clinbench.runtime import cell_seed

TITLE = "ICD-10-CM inclusion terms"
ACCESS = "open"
SYNTHETIC = False
RESAMPLED = "categories"  # the unit of the bootstrap: terms of one category are not independent
DATA = {}
TABLES = ("icd10cm",)
OPTIONS = {
    "chapters": {
        "type": ["array", "null"],
        "items": {"type": "integer", "minimum": 1, "maximum": 22},
        "minItems": 1,
        "uniqueItems": True,
        "default": None,
        "description": "Chapters (1 to 22) whose terms are asked for; null takes every code of the table.",
    },
    "validation_fraction": {
        "type": "number",
        "minimum": 0,
        "exclusiveMaximum": 1,
        "default": 0.1,
        "description": "Share of the categories whose terms validate (0 to 1).",
    },
    "test_fraction": {
        "type": "number",
        "exclusiveMinimum": 0,
        "exclusiveMaximum": 1,
        "default": 0.2,
        "description": "Share of the categories whose terms test (0 to 1).",
    },
}


def load(data: dict[str, Path], options: dict, table: pl.DataFrame) -> tuple[pl.DataFrame, dict]:
    """Return one query for every usable inclusion term of the table's codes.

    Splits are by category (three characters), so that no heading and none of its sub-codes are asked
    for in two splits. ``query_id`` is the code and the term's place in the tabular list, ``A00.0#1``.

    Left out and counted in ``info``: terms that equal their code's own description (nothing to
    find), another code's description or a term of another code (no single right answer).

    Raises:
        UserError: fractions of 1 or more together, a chapter without a code in the table, or no query left.
    """
    settings = with_defaults(OPTIONS, options)
    if settings["validation_fraction"] + settings["test_fraction"] >= 1:
        raise UserError(
            "validation_fraction + test_fraction must stay below 1, or nothing is left to train on."
        )
    codes = _codes(table, settings["chapters"])
    terms = [(code, place, text) for code in codes for place, text in enumerate(_terms(code), 1)]
    usable, dropped = _usable(terms, table)
    rows = [
        (f"{code}#{place}", _split(code[:3], settings), text, code, code[:3], "en")
        for code, place, text in usable
    ]
    if not rows:
        raise UserError("No inclusion term is left for these chapters and this codes table.")
    frame = queries_frame(rows)
    chapters = Counter(level(code, "chapter") for code in frame["code"])
    return frame, {
        "terms": len(terms),
        "dropped": dropped,
        "queries": dict(sorted(Counter(frame["split"]).items())),
        "queries_by_chapter": {number: chapters[number] for number in sorted(chapters, key=int)},
        "codes": frame["code"].n_unique(),
        "pool": table["code"].n_unique(),
    }


def _codes(table: pl.DataFrame, chapters: list[int] | None) -> list[str]:
    """List the table's codes in the wanted chapters."""
    codes = table["code"].unique(maintain_order=True).to_list()
    if chapters is None:
        return codes
    present = {level(code, "chapter") for code in codes}
    missing = [number for number in chapters if str(number) not in present]
    if missing:
        raise UserError(
            f"The codes table has no code of chapter(s) {', '.join(map(str, missing))}, which the benchmark "
            "asks for. Give table and benchmark the same 'chapters'."
        )
    return [code for code in codes if int(level(code, "chapter")) in chapters]


def _terms(code: str) -> list[str]:
    """Return a code's own inclusion terms, blanks collapsed; none for a code the edition lacks."""
    import simple_icd_10_cm as icd

    if not icd.is_valid_item(code):
        return []
    return [" ".join(term.split()) for term in icd.get_inclusion_term(code)]


def _usable(
    terms: list[tuple[str, int, str]], table: pl.DataFrame
) -> tuple[list[tuple[str, int, str]], dict[str, int]]:
    """Keep the terms that point to exactly one code without naming it, and count the others by reason."""
    described, filed = defaultdict(set), defaultdict(set)
    for code, text in table.select("code", "text").iter_rows():
        described[fold(text)].add(code)
    for code, _, text in terms:
        filed[fold(text)].add(code)
    kept, dropped = [], Counter(own_description=0, other_description=0, several_codes=0, repeated=0)
    seen: set[str] = set()
    for code, place, text in terms:
        folded = fold(text)
        if code in described[folded]:
            dropped["own_description"] += 1
        elif described[folded]:
            dropped["other_description"] += 1
        elif len(filed[folded]) > 1:
            dropped["several_codes"] += 1
        elif folded in seen:
            dropped["repeated"] += 1
        else:
            kept.append((code, place, text))
        seen.add(folded)
    return kept, dict(dropped)


def _split(category: str, settings: dict) -> str:
    """Assign a category to a split by a hash that is the same on every machine and for every table."""
    share = cell_seed("icd10cm_inclusion_terms", category) / 2**31
    if share < settings["test_fraction"]:
        return "test"
    return "val" if share < settings["test_fraction"] + settings["validation_fraction"] else "train"
