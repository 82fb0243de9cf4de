"""Progress: a bar on the terminal, lines in the log, both at once in a job."""

import io
from types import SimpleNamespace

import pytest

from clinbench import progress as module
from clinbench.progress import Bar, progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes 30 seconds on with every look at it."""
    times = iter(range(0, 10**6, 30))
    monkeypatch.setattr(module.time, "monotonic", lambda: float(next(times)))


@pytest.fixture
def streams(monkeypatch):
    """A job's log in place of stderr, and the terminal it was started from."""
    log, terminal = io.StringIO(), Terminal()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=log, __stderr__=terminal))
    return log, terminal


def test_a_log_gets_one_line_a_minute_and_the_terminal_a_bar(clock, streams):
    log, terminal = streams
    assert list(progress("abcdef", "letters")) == list("abcdef")
    assert log.getvalue().splitlines() == [
        "letters: 2/6 (30.0 s each, 2 min left)",
        "letters: 4/6 (30.0 s each, 60 s left)",
        "letters: 6/6 (30.0 s each, 0 s left)",
    ]
    shown = terminal.getvalue().split("\r\x1b[K")
    assert shown[3] == "[##########----------] letters: 3/6 (30.0 s each, 90 s left)"
    assert shown[-1] == ""  # nothing is left on the line


def test_a_short_loop_says_nothing_in_the_log(streams):
    log, _ = streams
    list(progress(range(1000), "quick"))
    assert log.getvalue() == ""


def test_without_a_terminal_there_is_no_bar(clock, monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=file, __stderr__=file))
    list(progress(range(4), "items"))
    assert "\r" not in file.getvalue() and file.getvalue().count("\n") == 2


def test_one_line_shows_loops_inside_each_other(clock, streams):
    _, terminal = streams
    for _ in progress(range(2), "settings"):
        for _ in progress(range(2), "epochs"):
            pass
    assert "settings: 1/2 (5.0 min" not in terminal.getvalue()
    assert "settings: 0/2 · epochs: 1/2" in terminal.getvalue()
    assert module._running == []


def test_an_unknown_length_is_estimated_from_the_share_done(clock, streams):
    log, _ = streams
    list(progress(iter([0.25, 0.5]), "blocks", share=lambda share: share))
    assert log.getvalue() == "blocks: 2/about 4 (30.0 s each, 60 s left)\n"


def test_a_loop_that_fails_is_taken_off_the_terminal(streams):
    with pytest.raises(RuntimeError), Bar("steps", 3):
        raise RuntimeError
    assert module._running == []


def test_what_was_done_before_counts(clock, streams):
    log, _ = streams
    list(progress(range(2), "epochs", start=8))
    assert log.getvalue().startswith("epochs: 10/10 (30.0 s each, 0 s left)")
