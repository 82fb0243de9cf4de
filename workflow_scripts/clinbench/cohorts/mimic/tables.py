"""The raw tables of MIMIC-III: found under any spelling, columns by name, typed."""

import csv
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from clinbench.cohorts.mimic.blocks import ENDINGS, read_blocks, read_header
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
LINE_END, QUOTE = b"\n", b'"'
AGAIN = "Copy or download the file again."
OPTIONAL = ("D_ICD_DIAGNOSES",)
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
        if name not in there and name not in OPTIONAL
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


def read_frames(name: str, path: Path) -> Iterator[tuple[pl.DataFrame, int]]:
    """Yield a table's rows as typed frames of some 100,000, each with the number of its first line.

    Raises:
        UserError: a line with too many fields, an id that is no whole number, a time that is none; with
            file, line and value.
    """
    header = read_header(path)
    wanted = COLUMNS[name]
    lower = [one.lower() for one in header]
    columns = {lower.index(column): kind for column, kind in wanted.items()}
    order = sorted(columns)
    names = {f"column_{index + 1}": header[index].lower() for index in order}
    for block, line in read_blocks(path):
        raw = _parse(block, len(header), order, path, line)
        frame = raw.rename(names).select(*wanted)
        yield _typed(frame, wanted, path, line), line


def _parse(block: bytes, width: int, order: list[int], path: Path, line: int) -> pl.DataFrame:
    """Parse one block as text, empty fields as null."""
    _check_fields(block, width, path, line)
    schema = {f"column_{index + 1}": pl.String for index in range(width)}
    try:
        return pl.read_csv(block, has_header=False, columns=order, schema=schema, encoding="utf8-lossy")
    except pl.exceptions.PolarsError as error:
        lines = f"{path}, line {line} to {line + block.count(LINE_END) - 1}"
        reason = str(error).splitlines()[0]
        raise UserError(f"{lines}: one does not fit the {width} columns ({reason}). {AGAIN}") from error


def _check_fields(block: bytes, width: int, path: Path, line: int) -> None:
    """Refuse lines that are cut off or too long, which Polars fills with nulls or cuts in silence.

    All lines are looked at where the block has no quotes, else the last one, where a cut-off file ends.
    """
    if QUOTE not in block:
        if block.count(b",") == block.count(LINE_END) * (width - 1):
            return
        rows = block.decode("utf-8", "replace").split("\n")[:-1]
    else:
        line += block.count(LINE_END) - 1
        rows = [block[block.rfind(LINE_END, 0, -1) + 1 : -1].decode("utf-8", "replace")]
    for number, row in enumerate(rows, line):
        fields = len(next(csv.reader([row]), []))
        if row.strip() and fields != width and row.count('"') % 2 == 0:
            raise UserError(f"{path}, line {number}: {fields} fields where the header has {width}. {AGAIN}")


def _typed(frame: pl.DataFrame, wanted: dict, path: Path, line: int) -> pl.DataFrame:
    """Convert text to ids, numbers and times.

    Raises:
        UserError: a text cannot be converted; the first ten are listed with their lines.
    """
    typed = frame.with_columns(_converted(name, kind) for name, kind in wanted.items() if kind != TEXT)
    lost = [
        name for name, kind in wanted.items() if kind != TEXT and _nulls(typed, name) > _nulls(frame, name)
    ]
    what = {ID: "a whole number", NUMBER: "a number", TIME: "a time YYYY-MM-DD HH:MM:SS"}
    problems = (
        f"{path}, line {line + row} or so, column '{name}': '{frame[name][row]}' is not {what[wanted[name]]}."
        for name in lost
        for row in (typed[name].is_null() & frame[name].is_not_null()).arg_true().to_list()
    )
    refuse(problems, "Fields that cannot be read:")
    return typed


def _converted(name: str, kind: pl.DataType) -> pl.Expr:
    text = pl.col(name)
    if kind == TIME:
        return text.str.to_datetime(FORMAT, strict=False, time_unit="us")
    if kind == ID:
        return text.cast(pl.Int64, strict=False)
    return text.cast(kind, strict=False)


def _nulls(frame: pl.DataFrame, name: str) -> int:
    return frame[name].null_count()


def _header_problems(path: Path, header: list[str], wanted: dict) -> list[str]:
    lower = [name.lower() for name in header]
    return [
        f"{path}: no column '{column.upper()}' (any case); it has {', '.join(header)}."
        if column not in lower
        else f"{path}: column '{column.upper()}' is there twice."
        for column in wanted
        if lower.count(column) != 1
    ]
