"""Time and memory of MIMIC-III from raw tables to the tensors of both tasks, by size of CHARTEVENTS.

python benchmarks/mimic3.py [--events 5000000 20000000] [--data FOLDER --resources FOLDER]
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from mimic3_tables import EVENTS_PER_STAY, write_resources, write_tables

from clinbench.cohorts import mimic3
from clinbench.defaults import with_defaults


def build(data: Path, resources: Path, folders: bool) -> str:
    """Build everything once in this process; return seconds, peak memory and sizes as one line."""
    with tempfile.TemporaryDirectory(dir=data.parent) as scratch:
        target = str(Path(scratch) / "benchmark") if folders else None
        options = with_defaults(mimic3.OPTIONS, {"write_benchmark_folders": target}, "clean")
        start, before = time.perf_counter(), time.process_time()
        sources = {"mimic3": data, "mimic3_resources": resources}
        summary = mimic3.prepare_cohort(sources, options, Path(scratch))
        prepared = time.perf_counter() - start
        hours = sum(len(mimic3.load(sources, options, Path(scratch), task).values) for task in mimic3.TASKS)
        seconds, busy = time.perf_counter() - start, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    rows = summary["events"]["rows_read"]
    return (
        f"{rows:>11,} events in {seconds:6.1f} s ({prepared:.1f} s to episodes{' and folders' if folders else ''}), "
        f"{rows / busy / 1e6:.2f} million a CPU second, peak {peak:.2f} GiB, {hours:,} hours of both tasks"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, nargs="*", default=[2_000_000, 5_000_000])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--resources", type=Path)
    parser.add_argument("--folders", action="store_true", help="write the benchmark's folders as well")
    parser.add_argument("--once", action="store_true", help="build in this process; used for each size")
    given = parser.parse_args()
    if given.once:
        print(build(given.data, given.resources, given.folders))
        return
    again = [sys.executable, __file__, "--once", *(["--folders"] if given.folders else [])]
    if given.data:
        subprocess.run([*again, "--data", given.data, "--resources", given.resources], check=True)
        return
    for events in given.events:  # a process each: peak memory is a process's
        with tempfile.TemporaryDirectory() as scratch:
            data = write_tables(Path(scratch) / "csv", events, np.random.default_rng(0))
            resources = write_resources(Path(scratch) / "resources", max(30, events // EVENTS_PER_STAY))
            subprocess.run([*again, "--data", data, "--resources", resources], check=True)


if __name__ == "__main__":
    main()
