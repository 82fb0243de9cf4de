"""The order in which a pass over the training stays visits them."""

from collections.abc import Iterator

import torch
from torch import Tensor


def bucketed(
    lengths: Tensor, batch_size: int, generator: torch.Generator, mega: int = 20
) -> Iterator[Tensor]:
    """Yield index tensors of one shuffled pass whose batches hold stays of like length.

    The shuffled stays are cut into pieces of ``mega`` batches, each sorted by length and cut into batches,
    and the batches are shuffled: about six times less padding than random batches (risk.md §6).

    Args:
        lengths: (N,) hours of each stay, on the CPU.
        batch_size: stays a batch; the last one of a piece may be smaller.
        generator: source of the order.
        mega: batches a piece.
    """
    shuffled = torch.randperm(len(lengths), generator=generator)
    batches = [
        batch
        for piece in shuffled.split(mega * batch_size)
        for batch in piece[lengths[piece].argsort(stable=True)].split(batch_size)
    ]
    for place in torch.randperm(len(batches), generator=generator).tolist():
        yield batches[place]
