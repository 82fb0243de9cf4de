"""Several code tables in one: a code has the texts of all, each under the name of the table it comes from."""

from pathlib import Path

import polars as pl

from clinbench.coding.frames import TABLE, read_frame, table_frame
from clinbench.defaults import with_defaults
from clinbench.errors import UserError

TITLE = "merged code tables"
EDITION = "that of its parts"
DATA = {}
PARTS = "parts"  # option that names other tables
OPTIONS = {
    "parts": {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "uniqueItems": True,
        "default": [],
        "description": "Tables to merge, names from coding.tables; each text keeps its table's name as source.",
    },
    "pool": {
        "type": ["string", "null"],
        "default": None,
        "description": "The part whose codes make the pool, so that leaving a part out changes texts only; null: "
        "the codes of all parts.",
    },
    "title": {"type": "string", "default": "", "description": "What captions call the table."},
}


def load(data: dict[str, Path], options: dict) -> tuple[pl.DataFrame, dict]:
    """Join built tables.

    Args:
        data: name of each part to the file of its table.
        options: see ``OPTIONS``.

    Returns:
        The codes table (``frames.TABLE``) and counts: ``codes``, ``texts``, ``texts_by_source``,
        ``not_in_pool`` (texts left out, by part).

    Raises:
        UserError: a part is missing, or the pool is none of the parts.
    """
    settings = with_defaults(OPTIONS, options)
    parts, pool = settings["parts"], settings["pool"]
    if missing := [name for name in parts if name not in data]:
        raise UserError(f"merged: the table of part '{missing[0]}' is not there.")
    if pool is not None and pool not in parts:
        raise UserError(f"merged: pool '{pool}' is none of the parts {', '.join(parts)}.")
    frames = {name: read_frame(data[name], TABLE) for name in parts}
    codes = (
        set(frames[pool]["code"]) if pool else {code for frame in frames.values() for code in frame["code"]}
    )
    kept = {name: frame.filter(pl.col("code").is_in(sorted(codes))) for name, frame in frames.items()}
    frame = table_frame(
        [(code, text, lang, name) for name, part in kept.items() for code, text, lang, _ in part.iter_rows()]
    )
    sources = frame.group_by("source").len()
    return frame, {
        "codes": frame["code"].n_unique(),
        "texts": frame.height,
        "texts_by_source": dict(sorted(sources.iter_rows())),
        "not_in_pool": {name: frames[name].height - part.height for name, part in kept.items()},
    }
