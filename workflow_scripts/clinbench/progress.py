"""Progress of long loops: a few lines in a log, none for a short loop."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def progress(
    items: Iterable[Item],
    label: str,
    total: int | None = None,
    every: float = 20.0,
    share: Callable[[Item], float] | None = None,
) -> Iterator[Item]:
    """Yield ``items``, printing ``label: done/total (rate, time left)`` every ``every`` seconds.

    Args:
        items: what is worked on.
        label: what they are.
        total: how many there are, where that is known and ``items`` has no length.
        every: seconds between lines.
        share: where it is not, tells how much of the work is done with an item, from 0 to 1.
    """
    total = total if total is not None else (len(items) if hasattr(items, "__len__") else None)
    start = last = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - last >= every:
            last = now
            whole = total or (done / share(item) if share and share(item) > 0 else None)
            rate = done / (now - start)
            left = f", {(whole - done) / rate:.0f} s left" if whole else ""
            of = total or (f"about {whole:.0f}" if whole else "?")
            print(f"{label}: {done}/{of} ({rate:.1f}/s{left})", file=sys.stderr, flush=True)
