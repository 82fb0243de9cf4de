"""Progress of long loops: a few lines in a log, none for a short loop."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def progress(
    items: Iterable[Item], label: str, total: int | None = None, every: float = 20.0
) -> Iterator[Item]:
    """Yield ``items``, printing ``label: done/total (rate, time left)`` every ``every`` seconds."""
    total = total if total is not None else (len(items) if hasattr(items, "__len__") else None)
    start = last = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - last >= every:
            last = now
            rate = done / (now - start)
            left = f", {(total - done) / rate:.0f} s left" if total else ""
            print(f"{label}: {done}/{total or '?'} ({rate:.1f}/s{left})", file=sys.stderr, flush=True)
