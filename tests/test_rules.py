"""What every rule has, and what a failed job says."""

import re
import sys
from types import SimpleNamespace

import pytest

from clinbench.errors import UserError
from snakejob import job
from tests.paths import ROOT


def rules():
    """Return the text of every rule by its name."""
    found = {}
    for file in sorted((ROOT / "rules").glob("*.smk")):
        for block in re.split(r"(?m)^(?=rule \w+:)", file.read_text())[1:]:
            found[re.match(r"rule (\w+):", block).group(1)] = block
    return found


def measured_rules():
    """Return the rules that run a script; ``estimate`` has no output, so that it always runs, and so no benchmark."""
    return [name for name, text in rules().items() if "script:" in text and name != "estimate"]


@pytest.mark.parametrize("name", measured_rules())
def test_a_rule_has_a_log_a_benchmark_and_the_digest_of_its_code(name):
    text = rules()[name]
    assert re.search(r"\n    log:\n", text)
    assert re.search(r"\n    benchmark:\n", text)
    assert "code=" in text
    log, benchmark = (
        re.search(rf"\n    {key}:\n\s+f?\"([^\"]+)\"", text).group(1) for key in ("log", "benchmark")
    )
    assert name in log and "logs/" in log and log.endswith(".log")
    assert benchmark.startswith("results/benchmarks/") and name in benchmark and benchmark.endswith(".tsv")


@pytest.mark.parametrize("name", ["train_system", "run_system", "code_mentions"])
def test_a_system_trains_and_searches_in_the_texts_of_its_sources(name):
    assert "sources=lambda wildcards: coding.sources(wildcards.system)" in rules()[name]


def failed(tmp_path, monkeypatch, error):
    """Let a job fail; return what went to the terminal, the log and the error that ended it."""
    log = tmp_path / "some.log"
    fake = SimpleNamespace(log=[str(log)], rule="train_risk", threads=1, output=[])
    terminal = (tmp_path / "terminal.txt").open("w", errors="backslashreplace")  # as Python opens it
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(BaseException) as ended, job(fake):
        print("what it did before")
        raise error
    terminal.close()
    return (tmp_path / "terminal.txt").read_text(), log.read_text(), ended.value


def test_a_users_mistake_ends_with_its_message_and_the_log(tmp_path, monkeypatch):
    terminal, log, error = failed(tmp_path, monkeypatch, UserError("data.csv, line 3: 'x' is no number."))
    assert "Error in train_risk: data.csv, line 3: 'x' is no number." in terminal
    assert str(tmp_path / "some.log") in terminal and "Traceback" not in terminal
    assert "what it did before" in log and "line 3" in log
    assert isinstance(error, SystemExit) and error.code == 1


def test_a_bug_leaves_its_traceback_in_the_log(tmp_path, monkeypatch):
    _, log, error = failed(tmp_path, monkeypatch, KeyError("column"))
    assert "Traceback" in log and "KeyError" in log
    assert isinstance(error, KeyError)


def test_a_mistake_in_a_file_whose_name_is_no_text_is_told(tmp_path, monkeypatch):
    _, log, error = failed(tmp_path, monkeypatch, UserError("data\udce9.csv: no such file."))
    assert "data\\udce9.csv: no such file" in log and isinstance(error, SystemExit)
