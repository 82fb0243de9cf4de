"""Signals: deferred work ends by itself with the signal's exit code, other work at once, and nothing is left behind."""

import signal

import pytest

from clinbench.files import atomic_path
from clinbench.interrupts import deferred, handled, interrupted, leave


def test_work_that_cannot_save_ends_at_once_and_cleans_up(tmp_path, capsys):
    with pytest.raises(SystemExit) as left, handled(), atomic_path(tmp_path / "a") as temporary:
        temporary.write_text("half")
        signal.raise_signal(signal.SIGTERM)
    assert left.value.code == 143
    assert not list(tmp_path.iterdir())
    assert "Interrupted: ends with exit code 143" in capsys.readouterr().err


def test_deferred_work_goes_on_until_it_leaves(capsys):
    steps = []
    with pytest.raises(SystemExit) as left, handled(), deferred():
        for step in range(10):
            if step == 3:
                signal.raise_signal(signal.SIGINT)
            steps.append(step)
            if interrupted():
                leave()
    assert steps == [0, 1, 2, 3] and left.value.code == 130
    assert "SIGINT: saved" in capsys.readouterr().err


def test_a_second_signal_does_not_wait():
    with pytest.raises(SystemExit) as left, handled(), deferred():
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
    assert left.value.code == 143


def test_handlers_and_flag_are_given_back():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit), handled():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before
    assert not interrupted()
