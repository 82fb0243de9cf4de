"""A run of both tracks small enough to be killed and started again many times."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import yaml
from tests.paths import ROOT
from tests.tiny_encoder import write_encoder

TABLES = ("results/tables/mortality_lstm.tex", "results/tables/coding_icd10cm_inclusion_terms.tex")
# One row, trained with two batch sizes; a bi-encoder and the cross-encoder that starts from it.
CONFIG = {
    "device": "cpu",
    "bootstrap": {"std_draws": 5, "interval_draws": 20},
    "risk": {
        "rows": ["cbce_scr"],
        "studies": [],
        "budget": 2,
        "batch_sizes": [16, 32],
        "epochs": 40,
        "losses": {"cbce_scr": {"scr_weights": [0.003]}},
        "models": {"mortality_lstm": {"hidden": 4}},
        "synthetic": {"stays": 60, "longest": 60},
    },
    "coding": {
        "systems": ["cross_encoder"],
        "tables": {"icd10cm_subset": {"chapters": [14]}},
        "groups": {"encoder": None, "negatives": 2},
        "retrievers": {
            "bi_encoder": {"encoder": "tiny", "epochs": 4, "batch_size": 32, "hard_negatives": 1},
            "cross_encoder": {"epochs": 4, "groups_per_step": 4, "max_groups": 200, "shortlist": 5},
        },
    },
}
TIMED = re.compile(r"/\.state/|/results/benchmarks/")  # hold seconds
PATIENCE = 900  # seconds for anything to happen


class Workflow:
    """The tiny run in a folder of its own."""

    def __init__(self, folder: Path, encoder: Path, cores: int = 2):
        self.folder, self.cores = folder, cores
        folder.mkdir()
        config = {**CONFIG, "coding": {**CONFIG["coding"], "encoders": {"tiny": {"folder": str(encoder)}}}}
        (folder / "tiny.yaml").write_text(yaml.safe_dump(config))

    def start(self, *arguments: str) -> subprocess.Popen:
        """Start Snakemake as the leader of its own process group; what it says is appended to a file."""
        words = [sys.executable, "-m", "snakemake", *(arguments or TABLES), "--cores", str(self.cores)]
        with open(self.folder / "output.txt", "ab") as output:
            return subprocess.Popen(
                [*words, "--snakefile", str(ROOT / "Snakefile"), "--configfile", "tiny.yaml"],
                cwd=self.folder,
                env=os.environ | {"HF_HUB_OFFLINE": "1"},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def finish(self, *arguments: str) -> None:
        """Run to the end, unlocking first what a killed run left locked."""
        self.unlock()
        assert self.start(*arguments).wait(PATIENCE) == 0, self.tail()

    def unlock(self) -> None:
        if list(self.folder.glob(".snakemake/locks/*")):
            assert self.start("--unlock").wait(PATIENCE) == 0, self.tail()

    def kill_at(self, reached: Callable[[], bool], delay: float, number: int = signal.SIGKILL) -> bool:
        """Start, wait until ``reached`` and ``delay`` seconds more, and kill everything; False if it ended before."""
        self.unlock()
        process, began = self.start(), time.monotonic()
        while process.poll() is None and not reached():
            assert time.monotonic() - began < PATIENCE, self.tail()
            time.sleep(0.02)
        time.sleep(delay)
        if process.poll() is not None:
            assert process.returncode == 0, self.tail()
            return False
        jobs = psutil.Process(process.pid).children(recursive=True)
        os.killpg(process.pid, number)
        process.wait(PATIENCE)
        _, alive = psutil.wait_procs(jobs, timeout=10)
        assert not alive, alive  # all were in the group
        return True

    def logs(self) -> set[tuple[Path, int]]:
        """Return the jobs' logs with their times: a job that begins, again or not, writes a new one."""
        return {
            (file, file.stat().st_ctime_ns)
            for pattern in ("results/logs/**/*.log", "results/*/logs/**/*.log")
            for file in self.folder.glob(pattern)
        }

    def states(self) -> set[tuple[Path, int]]:
        """Return the resume states of unfinished trainings, with their times."""
        found = self.folder.glob("results/*/.state/*/*.resume")
        return {(file, file.stat().st_mtime_ns) for file in found}

    def results(self, *suffixes: str) -> dict[str, bytes]:
        """Return the bytes of tables, and of all files with these suffixes that are kept; seconds are no result."""
        files = [*self.folder.glob("results/tables/*.*"), *self.folder.glob("results/**/*.*")]
        names = {str(file.relative_to(self.folder)): file for file in files if not TIMED.search(str(file))}
        return {name: file.read_bytes() for name, file in sorted(names.items()) if name.endswith(suffixes)}

    def tail(self) -> str:
        return (self.folder / "output.txt").read_text()[-4000:]


def kill(run: Workflow, dice: random.Random, training: bool) -> str | None:
    """Kill a run at a random moment, of a training or of any job; tell where, or None if it ended before."""
    logs, states = run.logs(), run.states()
    if training:
        delay = dice.uniform(0, 0.3)
        killed = run.kill_at(lambda: bool(run.states() - states), delay)
        return f"{delay:.2f} s after a training saved" if killed else None
    jobs, delay = dice.randint(1, 4), dice.uniform(0, 3)
    killed = run.kill_at(lambda: len(run.logs() - logs) >= jobs, delay)
    return f"{delay:.2f} s after {jobs} jobs began" if killed else None


def make_encoder(folder: Path) -> Path:
    """Write the encoder of the tiny run."""
    return write_encoder(folder, ["of", "the", "and", "kidney", "disease", "disorder", "acute", "chronic"])
