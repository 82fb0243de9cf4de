"""DISTEMIST: Spanish disease mentions with WHO ICD-10 codes mapped from SNOMED CT (coding.md sections 3.6 and 6.2).

Its documents are CodiEsp's, so what CodiEsp trained is tested here on documents it has seen unless they are
left out (``disjoint``).
"""

from collections import Counter, defaultdict
from pathlib import Path

import polars as pl

from clinbench.archives import read_members
from clinbench.coding.codes import parse, resolve
from clinbench.coding.frames import queries_frame
from clinbench.coding.gold import alternatives, spelling
from clinbench.coding.tsv import decode, split_cells
from clinbench.defaults import with_defaults
from clinbench.errors import UserError, refuse

TITLE = "DISTEMIST mentions mapped to ICD-10"
ACCESS = "open"
SYNTHETIC = False
LEVEL = "who"  # chapters are WHO's
DATA = {
    "distemist": "DISTEMIST corpus (distemist_zenodo.zip or its unpacked folder), Barcelona Supercomputing Center, "
    "https://doi.org/10.5281/zenodo.7614764, CC BY 4.0.",
}
TABLES = ("codiesp_codes", "icd10cm")
OPTIONS = {
    "relations": {
        "type": "array",
        "items": {"enum": ["EXACT", "NARROW", "COMPOSITE", "NOMAP"]},
        "minItems": 1,
        "uniqueItems": True,
        "default": ["EXACT"],
        "description": "Semantic relations whose mapped mentions are asked for; EXACT is taken to be the paper's.",
    },
    "ranges": {
        "enum": ["exclude", "hit"],
        "default": "exclude",
        "description": "Mentions mapped to a range of codes (I10-I15.9): left out, or right for any code whose "
        "category lies in it.",
    },
}
FILES = "distemist_subtrack2_training*_linking_crossmappings.tsv"
COLUMNS = (
    *("filename", "mark", "label", "off0", "off1", "span", "code", "semantic_rel"),
    *("omim_code", "mesh_code", "icd10_code", "hpo_code"),
)
PUBLISHED = {"rows": 5136, "mapped": 1569, "EXACT": 1225}
Row = dict[str, str]


def load(data: dict[str, Path], options: dict, table: pl.DataFrame) -> tuple[pl.DataFrame, dict]:
    """Return one test query for every mapped mention of the wanted relations.

    ``query_id`` is document and mark, ``S1139-76322014000100010-1:T1``, the document as CodiEsp names it
    (without ``es-``). Joined codes are right for any of them.

    Returns:
        The queries frame (``frames.QUERIES``), all ``test``, and counts: ``rows``, ``mapped`` (with an ICD-10
        code), ``published`` (of both), ``relations`` (of the mapped ones), ``ranges`` and ``joined`` among the
        wanted ones, ``queries``, ``documents``, ``distinct_mentions``, ``respelt``, ``unknown_rows``,
        ``unknown_codes``, ``unknown_places`` (code: places), ``pool``.

    Raises:
        UserError: no corpus, other columns, or a code that is none.
    """
    settings = with_defaults(OPTIONS, options)
    rows = _rows(data)
    mapped = [row for row in rows if row["icd10_code"] != "None"]
    refuse(
        (
            f"{row['filename']} {row['mark']}: {row['icd10_code']!r}"
            for row in mapped
            if parse(row["icd10_code"]).kind == "invalid"
        ),
        "distemist: these are no ICD-10 codes:",
    )
    wanted = [row for row in mapped if row["semantic_rel"] in settings["relations"]]
    kinds = Counter(parse(row["icd10_code"]).kind for row in wanted)
    if settings["ranges"] == "exclude":
        wanted = [row for row in wanted if parse(row["icd10_code"]).kind != "range"]
    known = set(table["code"])
    frame, respelt, unknown = _queries(wanted, known)
    return frame, {
        "rows": len(rows),
        "mapped": len(mapped),
        "published": PUBLISHED,
        "relations": dict(sorted(Counter(row["semantic_rel"] for row in mapped).items())),
        "ranges": kinds["range"],
        "joined": kinds["multi"],
        "queries": {"test": frame.height},
        "documents": frame["doc"].n_unique(),
        "distinct_mentions": frame["query"].n_unique(),
        "respelt": dict(sorted(respelt.items())),
        "unknown_rows": sum(map(len, unknown.values())),
        "unknown_codes": sorted(unknown),
        "unknown_places": unknown,
        "pool": len(known),
    }


def _queries(rows: list[Row], known: set[str]) -> tuple[pl.DataFrame, Counter, dict[str, list[str]]]:
    """Build the frame; also count what was respelt and list where no accepted code is in the table."""
    made, respelt, unknown = [], Counter(), defaultdict(list)
    for row in rows:
        found = resolve(row["icd10_code"], known)
        respelt.update(found.changes)
        doc, cell = row["filename"].removeprefix("es-"), spelling(found)
        if not known.intersection(alternatives(cell, known)):
            unknown[found.codes[0]].append(f"{row['filename']} {row['mark']}")
        made.append((f"{doc}:{row['mark']}", "test", " ".join(row["span"].split()), cell, doc, "es"))
    if not made:
        raise UserError("distemist: no mention is mapped to ICD-10 with the relations asked for.")
    return queries_frame(made, ["1"] * len(made)), respelt, dict(unknown)


def _rows(data: dict[str, Path]) -> list[Row]:
    """Read the cross-mapping files, checking their header."""
    if not data.get("distemist"):
        raise UserError(
            "Set 'distemist' under 'data:' to the folder of the DISTEMIST corpus or its zip archive."
        )
    members = list(read_members(data["distemist"], FILES))
    if not members:
        raise UserError(f"{data['distemist']}: no {FILES} there, unpacked or in a zip archive.")
    rows: list[Row] = []
    for member in members:
        cells = split_cells(decode(member.data, member.origin)[0], member.origin, len(COLUMNS))
        if tuple(cells[0]) != COLUMNS:
            raise UserError(
                f"{member.origin}, line 1: columns are {', '.join(cells[0])}; expected {', '.join(COLUMNS)}."
            )
        rows += [dict(zip(COLUMNS, row, strict=True)) for row in cells[1:]]
    return rows
