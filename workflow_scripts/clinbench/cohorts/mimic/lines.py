"""A frame as lines of CSV, for many small files cut out of it."""

from collections.abc import Iterator

import numpy as np
import polars as pl

TIMES = "%Y-%m-%d %H:%M:%S"


def csv_lines(frame: pl.DataFrame) -> list[str]:
    """Return each row as a line with its end; line breaks inside a field become blanks."""
    texts = pl.col(pl.String).str.replace_all(r"[\r\n]+", " ")
    text = frame.with_columns(texts).write_csv(include_header=False, datetime_format=TIMES)
    return [f"{line}\n" for line in text.split("\n")[: frame.height]]


def lines_by(frame: pl.DataFrame, key: str) -> Iterator[tuple[int, str]]:
    """Yield each value of a column, whose equal values are adjacent, with the CSV text of its rows."""
    lines, keys = csv_lines(frame), frame[key].to_numpy()
    starts = np.concatenate([[0], np.flatnonzero(np.diff(keys)) + 1, [len(keys)]]) if len(keys) else [0]
    for start, end in zip(starts[:-1], starts[1:], strict=True):
        yield int(keys[start]), "".join(lines[start:end])


def header(frame: pl.DataFrame) -> str:
    """Return the names of a frame's columns as a line."""
    return ",".join(frame.columns) + "\n"
