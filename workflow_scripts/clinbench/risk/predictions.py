"""Prediction files in the columns of mimic3-benchmarks (risk.md §1.3)."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError
from clinbench.files import write_text


@dataclass(frozen=True)
class Predictions:
    """Predictions of N stays.

    Attributes:
        stays: (N,) names.
        hours: (N,) length of each stay.
        labels: (N,) or (N, C) of 0 and 1, or None where they are unknown.
        probabilities: (N,) or (N, C).
    """

    stays: np.ndarray
    hours: np.ndarray
    labels: np.ndarray | None
    probabilities: np.ndarray

    def write(self, path: str | Path) -> None:
        """Write the stays sorted by name; probabilities keep all float32 digits.

        One label: ``stay,prediction,y_true``; C labels: ``stay,period_length,pred_1..C,label_1..C``. Unknown
        labels are left empty.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns(self.probabilities))
        for i in np.argsort(self.stays, kind="stable"):
            scores = [f"{score:.9g}" for score in np.atleast_1d(self.probabilities[i])]
            known = [] if self.labels is None else np.atleast_1d(self.labels[i])
            labels = [str(int(label)) for label in known] or [""] * len(scores)
            length = [f"{self.hours[i]:.6f}"] if self.probabilities.ndim == 2 else []
            writer.writerow([self.stays[i], *length, *scores, *labels])
        write_text(path, out.getvalue())


def read_probabilities(path: str | Path, test: Cohort) -> np.ndarray:
    """Read the probabilities of exactly the test stays, in their order: (N,) or (N, C) float64.

    Raises:
        UserError: columns or values are not as expected, or stays or labels are not those of the test set;
            file, line and column are named.
    """
    try:
        frame = pl.read_csv(path, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise UserError(
            f"{path}: not a CSV file of predictions ({error}); delete it and run again."
        ) from error
    expected = columns(test.labels)
    if frame.columns != expected:
        raise UserError(f"{path}: columns {', '.join(expected)} expected, found {', '.join(frame.columns)}.")
    order = np.argsort(test.stays, kind="stable")
    if frame["stay"].to_list() != test.stays[order].tolist():
        raise UserError(f"{path}: its stays are not those of the test set; delete it and run again.")
    numbers = [name for name in expected if name.startswith(("pred", "label", "y_true"))]
    values = np.stack([_numbers(frame[name], path) for name in numbers], axis=1)
    scores, labels = np.split(values, 2, axis=1)
    if not np.array_equal(labels, test.labels[order].reshape(labels.shape)):
        raise UserError(f"{path}: its labels are not those of the test set; delete it and run again.")
    out = np.empty_like(scores)
    out[order] = scores
    return out.reshape(test.labels.shape)


def columns(scores: np.ndarray) -> list[str]:
    """Return the columns of a file with scores, or labels, (N,) or (N, C)."""
    if scores.ndim == 1:
        return ["stay", "prediction", "y_true"]
    numbers = range(1, scores.shape[1] + 1)
    return ["stay", "period_length", *(f"pred_{i}" for i in numbers), *(f"label_{i}" for i in numbers)]


def _numbers(column: pl.Series, path: str | Path) -> np.ndarray:
    cast = column.cast(pl.Float64, strict=False)
    for row in cast.is_null().arg_true().to_list()[:1]:
        raise UserError(f"{path}, line {row + 2}, column {column.name}: {column[row]!r} is not a number.")
    return cast.to_numpy()
