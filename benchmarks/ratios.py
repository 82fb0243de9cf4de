"""Time two functions alternately and print the ratio of their medians."""

import os
import statistics
import time
from collections.abc import Callable

import torch


def seconds(function: Callable[[], object], least: float = 0.1) -> float:
    """Run for ``least`` seconds, at least once, and return the mean wall seconds of a run."""
    runs, start, passed = 0, time.perf_counter(), 0.0
    while passed < least:
        function()
        runs, passed = runs + 1, time.perf_counter() - start
    return passed / runs


def at_better_threads(function: Callable[[], object], tries: int = 3) -> Callable[[], object]:
    """Return ``function`` run with one torch thread or with one a core, whichever was faster."""

    def run(threads: int) -> object:
        torch.set_num_threads(threads)
        return function()

    counts = sorted({1, os.cpu_count() or 1})
    best = {count: min(seconds(lambda c=count: run(c)) for _ in range(tries)) for count in counts}
    return lambda: run(min(best, key=best.get))


def compare(label: str, ours: Callable, theirs: Callable, repeats: int = 5, share: float = 1.0) -> float:
    """Print and return how many times faster ``ours`` is.

    Args:
        share: part of the work that ``theirs`` does; its time is divided by it.
    """
    ours()  # compile and warm up
    pairs = [(seconds(ours), seconds(theirs) / share) for _ in range(repeats)]
    fast, slow = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"{label}: {slow / fast:.1f} times faster")
    return slow / fast


def saved_bytes(function: Callable[..., torch.Tensor], *inputs: torch.Tensor) -> int:
    """Return the bytes that autograd keeps for the backward pass beside ``inputs``, each storage once."""
    kept: dict[int, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        value = function(*inputs)  # alive until counted, so that no address is used twice
    assert value.requires_grad
    for tensor in inputs:
        kept.pop(tensor.untyped_storage().data_ptr(), None)
    return sum(tensor.untyped_storage().nbytes() for tensor in kept.values())
