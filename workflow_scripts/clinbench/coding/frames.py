"""The two frames of the coding track and their form on disk (TSV, UTF-8, no quoting).

* codes table: one row per description; a code may have several.
  ``code`` is dotted upper case, three characters or more (headings included).
* queries: one row per mention, with its gold ``code`` (see ``gold``), its ``split``, and of how many
  ``pieces`` of text it was put together (empty where not known).
"""

from pathlib import Path

import polars as pl

from clinbench.coding.tsv import decode, split_cells
from clinbench.errors import UserError, refuse
from clinbench.files import write_text

TABLE = ("code", "text", "lang", "source")
QUERIES = ("query_id", "split", "query", "code", "doc", "lang", "pieces")
SPLITS = ("train", "val", "test")


def table_frame(rows: list[tuple[str, str, str, str]]) -> pl.DataFrame:
    """Build a codes table from rows ``(code, text, lang, source)``, sorted by code, duplicates dropped.

    Raises:
        UserError: there is no row.
    """
    if not rows:
        raise UserError("The codes table is empty: no code was left to choose from.")
    frame = pl.DataFrame(rows, schema=dict.fromkeys(TABLE, pl.String), orient="row")
    return frame.unique(maintain_order=True).sort("code", maintain_order=True)


def queries_frame(
    rows: list[tuple[str, str, str, str, str, str]], pieces: list[str] | None = None
) -> pl.DataFrame:
    """Build a queries frame from rows ``(query_id, split, query, code, doc, lang)``.

    Args:
        rows: one a mention.
        pieces: beside each row, of how many pieces of text its mention is; empty where not known.

    Raises:
        UserError: repeated ids, unknown splits or empty mentions; each is named.
    """
    rows = [(*row, count) for row, count in zip(rows, pieces or [""] * len(rows), strict=True)]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(QUERIES, pl.String), orient="row")
    repeated = frame.filter(pl.col("query_id").is_duplicated())["query_id"].unique().sort()
    problems = [f"query_id '{value}' occurs more than once" for value in repeated]
    problems += [
        f"query_id '{row['query_id']}': split '{row['split']}' is none of {', '.join(SPLITS)}"
        for row in frame.filter(~pl.col("split").is_in(SPLITS)).iter_rows(named=True)
    ]
    empty = frame.filter(pl.col("query").str.strip_chars() == "")["query_id"]
    problems += [f"query_id '{value}': the mention is empty" for value in empty]
    refuse(problems, "The queries cannot be used:")
    return frame


def in_splits(queries: pl.DataFrame, *splits: str) -> pl.DataFrame:
    """Return the queries of some splits, in their order."""
    return queries.filter(pl.col("split").is_in(splits))


def require_test(queries: pl.DataFrame, benchmark: str) -> None:
    """Refuse a benchmark without a test query before anything is trained for it.

    Raises:
        UserError: no query is of split ``test``.
    """
    if in_splits(queries, "test").is_empty():
        raise UserError(
            f"{benchmark}: none of its {queries.height} mentions is of the split 'test', so there is nothing to "
            "score. Give it a test part, or take it out of coding.benchmarks."
        )


def without_documents(queries: pl.DataFrame, training: pl.DataFrame) -> tuple[pl.DataFrame, dict]:
    """Leave out the test queries of documents that a system learns from (coding.md section 0, finding 3).

    Args:
        queries: of a benchmark.
        training: queries frame; the documents of its train and val rows are meant.

    Returns:
        The other queries, and counts: ``seen_documents`` and ``seen_rows`` that were left out.

    Raises:
        UserError: no test query is left.
    """
    learned = training.filter(pl.col("split") != "test")["doc"].unique()
    seen = (pl.col("split") == "test") & pl.col("doc").is_in(learned.implode())
    out, kept = queries.filter(seen), queries.filter(~seen)
    if kept.filter(pl.col("split") == "test").is_empty():
        raise UserError(
            "Every test document is one that trains; set 'disjoint: false' to test on them all the same."
        )
    return kept, {"seen_documents": out["doc"].n_unique(), "seen_rows": out.height}


def write_frame(path: str | Path, frame: pl.DataFrame) -> None:
    """Write a frame of strings as TSV with a header, atomically.

    Raises:
        UserError: a missing value, or a tab or line break inside a cell, with row and column.
    """
    problems = []
    for name in frame.columns:
        unsafe = frame[name].is_null() | frame[name].fill_null("").str.contains(r"[\t\r\n]")
        for row in unsafe.arg_true().to_list():
            problems.append(f"row {row + 1}, column '{name}': {frame[name][row]!r}")
    refuse(problems, f"{path}: missing values, tabs or line breaks cannot be written as TSV:")
    lines = ["\t".join(frame.columns), *("\t".join(row) for row in frame.iter_rows())]
    write_text(path, "\n".join(lines) + "\n")


def read_frame(path: str | Path, columns: tuple[str, ...] | None = None) -> pl.DataFrame:
    """Read what ``write_frame`` wrote; every cell is a string, an empty one ``""``.

    Args:
        path: the file.
        columns: expected names in order (``TABLE`` or ``QUERIES``), or None to take any.

    Raises:
        UserError: the file is missing, not UTF-8, ragged or has other columns.
    """
    if not Path(path).is_file():
        raise UserError(f"{path}: no such file.")
    text, _ = decode(Path(path).read_bytes(), str(path))
    names = text.split("\n", 1)[0].rstrip("\r").split("\t")
    if columns is not None and tuple(names) != tuple(columns):
        raise UserError(f"{path}: columns are {', '.join(names)}; expected {', '.join(columns)}.")
    rows = split_cells(text, str(path), len(names))[1:]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
