"""Forward passes over texts of like length: on short, uneven texts padding is most of the work."""

from typing import Any

import torch
from torch import Tensor, nn


def forward_by_length(model: nn.Module, features: dict[str, Any], rows: int, output: str) -> Tensor:
    """Run a model over ``rows`` rows at a time, longest first, each chunk cut to its own width.

    The result, and its gradient, is that of one pass over all rows: only padding is saved.

    Args:
        model: called with features, returns a dict that has ``output``.
        features: tokeniser output, tensors (n, width) with ``attention_mask``; other values are handed on.
        rows: rows per pass.
        output: name of the wanted output, (n, ...).

    Returns:
        (n, ...) in the order of the rows.
    """
    mask = features["attention_mask"]
    order = mask.sum(dim=1).argsort(descending=True, stable=True)
    parts = []
    for at in order.split(rows):
        columns = mask[at].any(dim=0)
        chunk = {
            name: value[at][:, columns] if isinstance(value, Tensor) and value.shape == mask.shape else value
            for name, value in features.items()
        }
        parts.append(model(chunk)[output])
    return torch.cat(parts)[order.argsort()]


def merge_columns(columns: list[dict[str, Any]]) -> dict[str, Any]:
    """Stack tokenised columns (each n rows, its own width) into one batch, column after column.

    Padding is 0 and masked; values that are no tensors are taken from the first column.
    """
    width = max(column["attention_mask"].shape[1] for column in columns)

    def stacked(name: str) -> Tensor:
        return torch.cat(
            [nn.functional.pad(column[name], (0, width - column[name].shape[1])) for column in columns]
        )

    return {name: stacked(name) if isinstance(value, Tensor) else value for name, value in columns[0].items()}
