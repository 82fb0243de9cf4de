"""Stays on a device, ragged, and batches of them padded no further than needed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from clinbench.cohorts.new_stays import NewStays
    from clinbench.cohorts.tensors import Cohort

HOURS_AT_ONCE = 100_000  # padded hours in a batch that is only predicted; bounds memory for long stays


@dataclass(frozen=True)
class Stays:
    """N stays of one split.

    Attributes:
        values: (ΣT, F) float32.
        offsets: (N + 1,) int64.
        statics: (N, S) float32.
        labels: (N,) or (N, C) float32; None if unknown.
    """

    values: Tensor
    offsets: Tensor
    statics: Tensor
    labels: Tensor | None

    @classmethod
    def of(cls, cohort: "Cohort | NewStays", device: str) -> "Stays":
        """Copy the arrays of a cohort, or of new stays, to ``device``."""
        arrays = [cohort.values, cohort.offsets, cohort.statics, cohort.labels]
        return cls(*(None if array is None else torch.from_numpy(array).to(device) for array in arrays))

    def __len__(self) -> int:
        """Return the number of stays."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Tensor:
        """Return the hours of each stay, (N,) int64."""
        return self.offsets.diff()

    def batch(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return what a model reads of some stays: series (B, T, F) padded with zeros, lengths, statics."""
        lengths = self.lengths[rows]
        steps = torch.arange(int(lengths.max()), device=rows.device)
        there = steps < lengths[:, None]  # (B, T)
        index = (self.offsets[rows, None] + steps).where(there, 0)
        return self.values[index] * there[..., None], lengths, self.statics[rows]


def predict(model: nn.Module, loss, stays: Stays) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities (N,) or (N, C) and embeddings (N, d), both float32, in evaluation mode."""
    model.eval()
    probabilities, embeddings, order = [], [], []
    with torch.no_grad():
        for rows in alike(stays.lengths):
            logits, z, _ = model(*stays.batch(rows))
            probabilities.append(loss.probability(logits).float().cpu())
            embeddings.append(z.float().cpu())
            order.append(rows.cpu())
    back = torch.cat(order).argsort()
    return torch.cat(probabilities)[back].numpy(), torch.cat(embeddings)[back].numpy()


def alike(lengths: Tensor, size: int = 1024) -> Iterator[Tensor]:
    """Cut the stays, sorted by length, into batches of at most ``size`` and ``HOURS_AT_ONCE`` padded hours."""
    order = lengths.argsort(stable=True)
    end = len(order)
    while end:
        longest = int(lengths[order[end - 1]])
        start = max(0, end - max(1, min(size, HOURS_AT_ONCE // longest)))
        yield order[start:end]
        end = start
