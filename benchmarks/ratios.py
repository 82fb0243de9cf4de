"""Time two functions alternately and print the ratio of their medians."""

import statistics
import time
from collections.abc import Callable


def seconds(function: Callable[[], object]) -> float:
    """Run once and return wall seconds."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


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
