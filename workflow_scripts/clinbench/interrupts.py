"""SIGTERM and Ctrl-C: a training that can save finishes its step and saves first; other work ends at once.

Either way the process leaves with an error, so that Snakemake counts the job as failed and a retry resumes.
"""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class _Asked:
    """What the handler, which the system calls in mid-code, and the loops tell each other."""

    signal: int | None = None
    waiting = 0


@contextmanager
def handled() -> Iterator[None]:
    """Handle the signals inside the block, in the main thread, and give the handlers back afterwards."""
    before = {number: signal.signal(number, _on_signal) for number in SIGNALS}
    try:
        yield
    except SystemExit as left:
        if interrupted():
            print(f"\nInterrupted: ends with exit code {left.code}.", file=sys.stderr, flush=True)
        raise
    finally:
        _Asked.signal = None
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def deferred() -> Iterator[None]:
    """Let work inside the block end by itself: it asks ``interrupted`` after each step, saves and calls ``leave``."""
    _Asked.waiting += 1
    try:
        yield
    finally:
        _Asked.waiting -= 1


def interrupted() -> bool:
    """Tell whether the process was asked to end."""
    return _Asked.signal is not None


def leave() -> NoReturn:
    """End the process as the signal would have; the caller has saved."""
    number = _Asked.signal or signal.SIGTERM
    print(
        f"{signal.Signals(number).name}: saved; the next run goes on from here.", file=sys.stderr, flush=True
    )
    raise SystemExit(128 + number)


def _on_signal(number: int, _frame: object) -> None:
    again = _Asked.signal is not None
    _Asked.signal = number
    if again or not _Asked.waiting:  # asked twice: do not wait for a step to end
        raise SystemExit(128 + number)
