"""Progress of long loops: a bar on a terminal, one line a minute in a log, nothing for a short loop."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO, TypeVar

Item = TypeVar("Item")
WIDTH = 20  # characters of a bar
_running: list["Bar"] = []  # outer loops first; one line on the terminal shows them all


class Bar:
    """A loop under way; close it, or use it in a ``with`` statement.

    A job's messages go to its log: there a line is written every ``every`` seconds. The bar goes to the terminal the
    run was started from, if there is one; jobs side by side share its last line.
    """

    def __init__(
        self,
        label: str,
        total: float | None = None,
        every: float = 60.0,
        drawn: float = 0.2,
        start: float = 0,
    ):
        self.label, self.total, self.every, self._pause, self._before = label, total, every, drawn, start
        self._start = self._told = self._now = time.monotonic()
        self._drawn, self._done, self._whole = 0.0, start, total
        _running.append(self)

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def begin(self, total: float, start: float) -> None:
        """Say how much there is and how much was done before, where that is known only later."""
        self.total, self._before = total, start

    def reach(self, done: float, share: float | None = None) -> None:
        """Say how much is done: a count, and from 0 to 1 where the total is not known."""
        self._now, self._done = time.monotonic(), done
        self._whole = self.total or (done / share if share else None)
        if self._now - self._told >= self.every and not _is_terminal(sys.stderr):
            self._told = self._now
            print(self._text(), file=sys.stderr, flush=True)
        if self._now - self._drawn >= self._pause and (terminal := _terminal()):
            self._drawn = self._now
            line = " · ".join(loop._text() for loop in _running)
            terminal.write(f"\r\x1b[K{_running[0]._picture()}{line[:150]}")
            terminal.flush()

    def close(self) -> None:
        """Take the loop off the terminal."""
        _running.remove(self)
        if self._drawn and (terminal := _terminal()):
            terminal.write("\r\x1b[K")
            terminal.flush()

    def _text(self) -> str:
        of = _number(self.total) if self.total or not self._whole else f"about {self._whole:.0f}"
        return f"{self.label}: {_number(self._done)}/{of}{self._pace()}"

    def _pace(self) -> str:
        here, seconds = (
            self._done - self._before,
            self._now - self._start,
        )  # a resumed loop found the rest done
        if here <= 0 or seconds <= 0:
            return ""
        pace = f"{here / seconds:.1f}/s" if here >= seconds else f"{seconds / here:.1f} s each"
        left = f", {_span((self._whole - self._done) * seconds / here)} left" if self._whole else ""
        return f" ({pace}{left})"

    def _picture(self) -> str:
        if not self._whole:
            return ""
        full = round(WIDTH * min(max(self._done / self._whole, 0.0), 1.0))
        return f"[{'#' * full}{'-' * (WIDTH - full)}] "


def progress(
    items: Iterable[Item],
    label: str,
    total: int | None = None,
    every: float = 60.0,
    share: Callable[[Item], float] | None = None,
    start: int = 0,
) -> Iterator[Item]:
    """Yield ``items`` and show how many are done, at what pace, and the time left.

    Args:
        items: what is worked on.
        label: what they are.
        total: how many there are, where that is known and ``items`` has no length.
        every: seconds between lines in a log.
        share: where it is not, tells how much of the work is done with an item, from 0 to 1.
        start: how many were done before.
    """
    total = total if total is not None else (len(items) + start if hasattr(items, "__len__") else None)
    with Bar(label, total, every, start=start) as shown:
        for done, item in enumerate(items, start + 1):
            yield item
            shown.reach(done, share(item) if share else None)


def _terminal() -> TextIO | None:
    """Return the terminal the process was started from, even while a job's messages go to its log."""
    return sys.__stderr__ if _is_terminal(sys.__stderr__) else None


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:g}" if value < 1e5 else f"{value:.0f}"


def _span(seconds: float) -> str:
    """Write seconds as a reader says them: 40 s, 12 min, 3.5 h."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
