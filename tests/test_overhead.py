"""The bound on a run's wall time, from a log worked by hand."""

from pathlib import Path

import pytest
from benchmarks.overhead import critical_path, jobs_of

LOG = """Provided cores: 2
[Mon Nov 30 10:00:00 2026]
rule first:
    output: a, b
    jobid: 2
    benchmark: first.tsv
    threads: 2
[Mon Nov 30 10:00:12 2026]
Finished jobid: 2 (Rule: first)
[Mon Nov 30 10:00:12 2026]
rule second:
    input: a
    output: c
    jobid: 1
[Mon Nov 30 10:00:12 2026]
localrule third:
    input: b, raw
    output: d
    jobid: 3
[Mon Nov 30 10:00:15 2026]
Finished jobid: 3 (Rule: third)
[Mon Nov 30 10:00:17 2026]
Finished jobid: 1 (Rule: second)
"""


def test_jobs_and_the_longest_chain_are_read_from_a_log(tmp_path: Path):
    (tmp_path / "first.tsv").write_text("s\th:m:s\n10.5\t0:00:10\n")
    jobs, cores = jobs_of(LOG)
    assert [(job.rule, job.threads, job.end - job.start) for job in jobs] == [
        ("first", 2, 12.0),
        ("third", 1, 3.0),
        ("second", 1, 5.0),
    ]
    seconds = {id(job): job.seconds(tmp_path) for job in jobs}
    assert cores == 2 and list(seconds.values()) == [10.5, 3.0, 5.0]
    assert critical_path(jobs, seconds) == pytest.approx(15.5)
