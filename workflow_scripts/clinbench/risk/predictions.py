"""Prediction files in the columns of mimic3-benchmarks (risk.md §1.3)."""

from pathlib import Path

import numpy as np
import polars as pl

from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError
from clinbench.files import write_text

COLUMNS = ("stay", "prediction", "y_true")


def write_predictions(
    path: str | Path, stays: np.ndarray, probabilities: np.ndarray, labels: np.ndarray
) -> None:
    """Write ``stay,prediction,y_true``, sorted by stay; probabilities keep all float32 digits.

    Args:
        stays: (N,) names.
        probabilities: (N,) float32.
        labels: (N,) of 0 and 1.
    """
    order = np.argsort(stays, kind="stable")
    rows = [f"{stays[i]},{probabilities[i]:.9g},{int(labels[i])}" for i in order]
    write_text(path, "\n".join([",".join(COLUMNS), *rows]) + "\n")


def same_stays(frame: pl.DataFrame, test: Cohort, where: str | Path) -> None:
    """Refuse predictions that are not of exactly the test stays, in sorted order, with their labels.

    Raises:
        UserError: stays or labels differ; the file is named.
    """
    order = np.argsort(test.stays, kind="stable")
    if frame["stay"].to_list() != test.stays[order].tolist():
        raise UserError(f"{where}: its stays are not those of the test set; delete it and run again.")
    if frame["y_true"].to_list() != test.labels[order].astype(int).tolist():
        raise UserError(f"{where}: its labels are not those of the test set; delete it and run again.")


def read_predictions(path: str | Path) -> pl.DataFrame:
    """Read a prediction file: stay String, prediction Float64, y_true Int64.

    Raises:
        UserError: columns or values are not as expected; file, row and column are named.
    """
    frame = pl.read_csv(path, infer_schema=False)
    if tuple(frame.columns) != COLUMNS:
        raise UserError(f"{path}: columns {', '.join(COLUMNS)} expected, found {', '.join(frame.columns)}.")
    for column, kind in (("prediction", pl.Float64), ("y_true", pl.Int64)):
        cast = frame[column].cast(kind, strict=False)
        for row in cast.is_null().arg_true().to_list()[:1]:
            raise UserError(
                f"{path}, line {row + 2}, column {column}: {frame[column][row]!r} is not a number."
            )
        frame = frame.with_columns(cast)
    return frame
