"""Batches of padded series from a ragged cohort."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from clinbench.cohorts.tensors import Cohort


def tensors(cohort: Cohort, device: str) -> tuple[Tensor, Tensor, Tensor]:
    """Return series (N, T, F) float32 padded with zeros, lengths (N,) int64 and labels, on ``device``."""
    series, lengths = cohort.padded()
    return (
        torch.from_numpy(series).to(device),
        torch.from_numpy(lengths).to(device),
        torch.from_numpy(cohort.labels).to(device),
    )


def shuffled(n: int, batch_size: int, generator: torch.Generator) -> Iterator[Tensor]:
    """Yield index tensors of one shuffled pass; the last one may be smaller."""
    yield from torch.randperm(n, generator=generator).split(batch_size)


def bucketed(
    lengths: Tensor, batch_size: int, generator: torch.Generator, mega: int = 20
) -> Iterator[Tensor]:
    """Yield index tensors of one shuffled pass whose batches hold stays of similar length (risk.md §6).

    The shuffled stays are cut into mega-batches of ``mega`` batches, each sorted by length and cut into batches;
    these come in random order. A batch padded to its longest stay then has little padding.

    Args:
        lengths: steps of each stay (N,), on the CPU.
    """
    order = torch.randperm(len(lengths), generator=generator)
    batches = [
        batch
        for part in order.split(batch_size * mega)
        for batch in part[lengths[part].argsort(stable=True)].split(batch_size)
    ]
    for index in torch.randperm(len(batches), generator=generator).tolist():
        yield batches[index]


def predict(
    model: torch.nn.Module, loss, series: Tensor, lengths: Tensor, size: int = 1024
) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities (N,) or (N, C) and embeddings (N, d), both float32, in evaluation mode."""
    model.eval()
    probabilities, embeddings = [], []
    with torch.no_grad():
        for rows in torch.arange(len(series), device=series.device).split(size):
            logits, z, _ = model(series[rows], lengths[rows])
            probabilities.append(loss.probability(logits).float().cpu())
            embeddings.append(z.float().cpu())
    return torch.cat(probabilities).numpy(), torch.cat(embeddings).numpy()
