"""ICD-10-CM in English, headings included, from the package simple_icd_10_cm (MIT; public-domain codes)."""

from importlib.metadata import version
from pathlib import Path

import polars as pl

from clinbench.coding.codes import level
from clinbench.coding.frames import table_frame

TITLE = "ICD-10-CM, English"
EDITION = "ICD-10-CM, release of April 2026"
LANG = "en"
DATA = {}
OPTIONS = {
    "chapters": {
        "type": ["array", "null"],
        "items": {"type": "integer", "minimum": 1, "maximum": 22},
        "minItems": 1,
        "uniqueItems": True,
        "default": None,
        "description": "Chapters of ICD-10-CM (1 to 22) whose codes make up the table; null takes all.",
    },
    "inclusion_terms": {
        "type": "boolean",
        "default": False,
        "description": "Add the inclusion terms of the tabular list as further texts of their codes.",
    },
}


def load(data: dict[str, Path], options: dict) -> tuple[pl.DataFrame, dict]:
    """Return every code of three characters or more with its official description.

    Headings stay in the table, because annotators use them (coding.md section 3.4). The package
    takes seconds to import, hence only here.

    Returns:
        The codes table (``frames.TABLE``) and counts: ``codes``, ``texts``, ``codes_by_length``
        (characters with dot), ``package`` version.
    """
    import simple_icd_10_cm as icd

    wanted = options.get("chapters")
    wanted = None if wanted is None else {str(number) for number in wanted}
    # get_all_codes repeats categories that share their block's name, and is_chapter_or_block
    # takes such categories (B20, F99, R99) for blocks; is_category_or_subcategory does not.
    codes = [code for code in dict.fromkeys(icd.get_all_codes()) if icd.is_category_or_subcategory(code)]
    kept = [code for code in codes if wanted is None or level(code, "chapter") in wanted]
    rows = [(code, " ".join(icd.get_description(code).split()), LANG, "icd10cm") for code in kept]
    if options.get("inclusion_terms"):
        rows += [
            (code, " ".join(term.split()), LANG, "inclusion_terms")
            for code in kept
            for term in icd.get_inclusion_term(code)
        ]
    frame = table_frame(rows)
    lengths = (
        frame.unique("code").group_by(pl.col("code").str.len_chars().alias("length")).len().sort("length")
    )
    return frame, {
        "codes": frame["code"].n_unique(),
        "texts": frame.height,
        "codes_by_length": {str(length): count for length, count in lengths.iter_rows()},
        "package": f"simple_icd_10_cm {version('simple_icd_10_cm')}",
    }
