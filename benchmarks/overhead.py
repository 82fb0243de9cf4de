"""How close a finished run came to the least wall time its jobs allow: max(critical path, Σ seconds × threads / cores).

python benchmarks/overhead.py [FOLDER [LOG]]   reads FOLDER's results/benchmarks and its newest log of a whole run
"""

import re
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

STAMP = re.compile(r"^\[(\w{3} \w{3} +\d+ [\d:]{8} \d{4})\]$")
START = re.compile(r"^(?:local)?rule (\w+):$")
FIELD = re.compile(r"^    (input|output|jobid|benchmark|threads): (.*)$")
END = re.compile(r"^Finished jobid: (\d+) ")


@dataclass
class Job:
    """One job of a log; times in seconds since the epoch."""

    rule: str
    start: float
    inputs: frozenset[str] = frozenset()
    outputs: frozenset[str] = frozenset()
    benchmark: str | None = None
    threads: int = 1
    end: float = 0.0

    def seconds(self, folder: Path) -> float:
        """Return what the benchmark measured, or the log's times, whole seconds, where a rule has none."""
        file = folder / self.benchmark if self.benchmark else None
        if file is None or not file.is_file():
            return self.end - self.start
        header, first = (line.split("\t") for line in file.read_text().splitlines()[:2])
        return float(dict(zip(header, first, strict=True))["s"])


def jobs_of(log: str) -> tuple[list[Job], int]:
    """Return the finished jobs of a Snakemake log, and its cores."""
    cores = int(re.search(r"^Provided cores: (\d+)", log, re.MULTILINE).group(1))
    jobs: dict[str, Job] = {}
    now, current, finished = 0.0, None, []
    for line in log.splitlines():
        if stamp := STAMP.match(line):
            now = datetime.strptime(stamp.group(1), "%a %b %d %H:%M:%S %Y").timestamp()
        elif start := START.match(line):
            current = Job(start.group(1), now)
        elif field := FIELD.match(line):
            _fill(current, jobs, *field.groups())
        elif end := END.match(line):
            jobs[end.group(1)].end = now
            finished.append(jobs[end.group(1)])
    return finished, cores


def _fill(job: Job, jobs: dict[str, Job], key: str, value: str) -> None:
    if key == "jobid":
        jobs[value] = job
    elif key == "threads":
        job.threads = int(value)
    elif key == "benchmark":
        job.benchmark = value
    else:
        setattr(job, f"{key}s", frozenset(value.split(", ")))


def critical_path(jobs: list[Job], seconds: dict[int, float]) -> float:
    """Return the seconds of the longest chain of jobs; ``seconds`` by ``id(job)``. A log has producers first."""
    reached: dict[str, float] = {}
    longest = 0.0
    for job in sorted(jobs, key=lambda job: (job.start, job.end)):
        done = max((reached.get(name, 0.0) for name in job.inputs), default=0.0) + seconds[id(job)]
        reached |= dict.fromkeys(job.outputs, done)
        longest = max(longest, done)
    return longest


def main(folder: Path, log: Path) -> None:
    """Print the bound, the wall time and their ratio."""
    jobs, cores = jobs_of(log.read_text())
    seconds = {id(job): job.seconds(folder) for job in jobs}
    critical = critical_path(jobs, seconds)
    shared = sum(seconds[id(job)] * job.threads for job in jobs) / cores
    wall = max(job.end for job in jobs) - min(job.start for job in jobs)
    print(f"{len(jobs)} jobs on {cores} cores, {log.name}")
    print(f"critical path {critical:.0f} s; seconds × threads / cores {shared:.0f} s; wall {wall:.0f} s")
    print(f"wall / max of both: {wall / max(critical, shared):.3f}")
    measured = [job for job in jobs if job.benchmark]
    between = sum(job.end - job.start - seconds[id(job)] for job in measured)
    print(f"outside the scripts, {len(measured)} measured jobs: {between / len(measured):.1f} s each")


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    logs = sorted((folder / ".snakemake/log").glob("*.log"), key=lambda file: file.stat().st_size)
    main(folder, Path(sys.argv[2]) if len(sys.argv) > 2 else logs[-1])
