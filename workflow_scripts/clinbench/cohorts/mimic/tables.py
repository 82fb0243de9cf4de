"""The raw tables of MIMIC-III: found under any spelling, columns by name, typed."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.cohorts.csv_rows import STRAY, all_have, find_rows, misplaced_quote
from clinbench.cohorts.mimic.blocks import ENDINGS, Block, read_blocks, read_header
from clinbench.errors import UserError, refuse

ID, TEXT, NUMBER, TIME = pl.Int64, pl.String, pl.Float64, pl.Datetime("us")
FORMAT = "%Y-%m-%d %H:%M:%S"
# What is read of each table; names in lower case, as in the demo. The full MIMIC-III has upper case.
COLUMNS = {
    "PATIENTS": {"subject_id": ID, "gender": TEXT, "dob": TIME, "dod": TIME},
    "ADMISSIONS": {
        **{"subject_id": ID, "hadm_id": ID, "admittime": TIME, "dischtime": TIME, "deathtime": TIME},
        **{"ethnicity": TEXT, "diagnosis": TEXT},
    },
    "ICUSTAYS": {
        **{"subject_id": ID, "hadm_id": ID, "icustay_id": ID, "dbsource": TEXT},
        **{"first_careunit": TEXT, "last_careunit": TEXT, "first_wardid": ID, "last_wardid": ID},
        **{"intime": TIME, "outtime": TIME, "los": NUMBER},
    },
    "DIAGNOSES_ICD": {"subject_id": ID, "hadm_id": ID, "seq_num": ID, "icd9_code": TEXT},
    "D_ICD_DIAGNOSES": {"icd9_code": TEXT, "short_title": TEXT, "long_title": TEXT},
    "CHARTEVENTS": {
        **{"subject_id": ID, "hadm_id": ID, "icustay_id": ID, "charttime": TIME, "itemid": ID},
        **{"value": TEXT, "valueuom": TEXT},
    },
    "LABEVENTS": {
        **{"subject_id": ID, "hadm_id": ID, "charttime": TIME, "itemid": ID, "value": TEXT},
        **{"valueuom": TEXT},
    },
    "OUTPUTEVENTS": {
        **{"subject_id": ID, "hadm_id": ID, "icustay_id": ID, "charttime": TIME, "itemid": ID},
        **{"value": TEXT, "valueuom": TEXT},
    },
}
QUOTE, QUOTED_NOTHING = b'"', b'""'
AGAIN = "Copy or download the file again."
EVENTS = ("CHARTEVENTS", "LABEVENTS", "OUTPUTEVENTS")
WHERE = "https://physionet.org/content/mimiciii/1.4/ (credentialed) or …/mimiciii-demo/1.4/ (open)"


def find_tables(folder: Path) -> dict[str, Path]:
    """Return the file of every table, after checking all headers.

    Raises:
        UserError: a table is missing or there twice, a column is missing; all of them are listed.
    """
    if not folder.is_dir():
        raise UserError(f"data.mimic3: {folder} is not a folder. It must hold the CSV files of {WHERE}.")
    there: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        stem, dot, ending = path.name.partition(".")
        if dot + ending.lower() in ENDINGS and stem.upper() in COLUMNS:
            there.setdefault(stem.upper(), []).append(path)
    problems = [
        f"table {name}: no {name}.csv, {name}.csv.gz or {name}.csv.xz (any case) in {folder}."
        for name in COLUMNS
        if name not in there
    ]
    problems += [
        f"table {name}: there are {' and '.join(path.name for path in paths)}; keep one of them."
        for name, paths in there.items()
        if len(paths) > 1
    ]
    for name, (path, *_) in there.items():
        problems += _header_problems(path, read_header(path), COLUMNS[name])
    refuse(problems, f"The MIMIC-III tables in {folder} cannot be used (they come from {WHERE}):", limit=20)
    return {name: paths[0] for name, paths in there.items()}


def read_table(name: str, path: Path) -> pl.DataFrame:
    """Read a whole table that fits in memory, columns as in ``COLUMNS``."""
    frames = [frame for frame, _ in read_frames(name, path)]
    return pl.concat(frames) if frames else pl.DataFrame(schema=COLUMNS[name])


def read_frames(name: str, path: Path) -> Iterator[tuple[pl.DataFrame, float]]:
    """Yield a table's rows as typed frames of some 100,000, each with the share of the file that is read then.

    Blank lines are passed over.

    Raises:
        UserError: a row with too few or too many fields, a quote out of place, an id that is no whole number, a
            time that is none; with file, line and value.
    """
    header = read_header(path)
    wanted = COLUMNS[name]
    lower = [one.lower() for one in header]
    order = sorted(lower.index(column) for column in wanted)
    names = {f"column_{index + 1}": lower[index] for index in order}
    for block in read_blocks(path):
        raw = _parse(_checked(block, len(header), path), len(header), order, path, block.line)
        frame = raw.rename(names).select(*wanted)
        yield _typed(frame, wanted, path, block), block.share


def _checked(block: Block, width: int, path: Path) -> bytes:
    """Return a block's rows but the blank ones, after looking at the fields and quotes of each."""
    text = block.text
    if QUOTE in text and (breaks := misplaced_quote(text)) is not None:
        raise UserError(f"{path}, line {block.line + breaks}: {STRAY}. {AGAIN}")
    if all_have(text, width):
        return text
    rows = find_rows(text)
    wrong = np.flatnonzero((rows.fields != width) & ~rows.blank)
    refuse(
        (
            f"{path}, line {block.line + rows.lines[row]}: {rows.fields[row]} fields where the header has {width}."
            for row in wrong
        ),
        f"Rows that do not fit their header. {AGAIN}",
    )
    return rows.without_blank(text)


def _parse(text: bytes, width: int, order: list[int], path: Path, line: int) -> pl.DataFrame:
    """Parse rows as text, empty fields as null."""
    schema = {f"column_{index + 1}": pl.String for index in range(width)}
    if not text:
        return pl.DataFrame(schema={f"column_{index + 1}": pl.String for index in order})
    try:
        frame = pl.read_csv(text, has_header=False, columns=order, schema=schema, encoding="utf8-lossy")
    except pl.exceptions.PolarsError as error:
        raise UserError(f"{path}, from line {line} on: the rows cannot be read as CSV. {AGAIN}") from error
    return frame.with_columns(pl.when(pl.all() != "").then(pl.all())) if QUOTED_NOTHING in text else frame


def _typed(frame: pl.DataFrame, wanted: dict, path: Path, block: Block) -> pl.DataFrame:
    """Convert text to ids, numbers and times.

    Raises:
        UserError: a text cannot be converted; the first ten are listed with their lines.
    """
    typed = frame.with_columns(_converted(pl.col(name), kind) for name, kind in wanted.items())
    if lost := _lost(frame, typed):
        again = frame.select(_converted(_plain(name), wanted[name]) for name in lost)
        typed = typed.with_columns(again)
        lost = _lost(frame, typed)
    if not lost:
        return typed
    what = {ID: "a whole number", NUMBER: "a number", TIME: "a time YYYY-MM-DD HH:MM:SS"}
    rows = find_rows(block.text)
    lines = block.line + rows.lines[~rows.blank]
    problems = (
        f"{path}, line {lines[row]}, column '{name}': '{frame[name][row]}' is not {what[wanted[name]]}."
        for name in lost
        for row in (typed[name].is_null() & frame[name].is_not_null()).arg_true().to_list()
    )
    refuse(problems, "Fields that cannot be read:")
    return typed


def _converted(text: pl.Expr, kind: pl.DataType) -> pl.Expr:
    if kind == TIME:
        return text.str.to_datetime(FORMAT, strict=False, time_unit="us")
    return text.cast(kind, strict=False)


def _plain(name: str) -> pl.Expr:
    """Return a column's ids and times as other programs write them (201.0, 2150-01-01T17:00:00.000) in plain form."""
    text = pl.col(name).str.strip_chars().str.replace(r"^(\d{4}-\d\d-\d\d)T", "${1} ")
    return text.str.replace(r"^(.*\d)\.0*$", "${1}")


def _lost(frame: pl.DataFrame, typed: pl.DataFrame) -> list[str]:
    """Return the columns in which a text was no value."""
    return [name for name in frame.columns if typed[name].null_count() > frame[name].null_count()]


def _header_problems(path: Path, header: list[str], wanted: dict) -> list[str]:
    lower = [name.lower() for name in header]
    return [
        f"{path}: no column '{column.upper()}' (any case); it has {', '.join(header)}."
        if column not in lower
        else f"{path}: column '{column.upper()}' is there twice."
        for column in wanted
        if lower.count(column) != 1
    ]
