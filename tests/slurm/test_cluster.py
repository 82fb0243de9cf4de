"""The suite on a real SLURM of one machine: the same results as a local run, and GPUs for who asks."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest
from tests.runs import run_snakemake

TINY = ("--configfile", "tiny.yaml")
ROWS = ("bce", "cbce_scr", "csce_scr")
LOCAL = {"risk_table", "coding_table", "subsets_table", "chapters_figure", "all"}
PROVENANCE = re.compile(r'^ *"(wall_seconds|device|git_\w+|threads)":.*\n', re.MULTILINE)


def queue(form):
    """Return what squeue says of all jobs, finished ones too, one line a job; job steps are no jobs."""
    done = subprocess.run(
        ["squeue", "-h", "-t", "all", "-o", form], capture_output=True, text=True, timeout=20
    )
    return [line.strip() for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def finished(cluster, profile, checkouts):
    """Run `all` locally and through the profile; return both results folders, and what was submitted."""
    local, remote = checkouts
    cpu = ("--config", "device=cpu")
    done = run_snakemake("all", "--cores", 2, *TINY, *cpu, cwd=local, timeout=3000)
    assert done.returncode == 0, done.stdout[-4000:]
    done = run_snakemake("all", "--workflow-profile", profile, *TINY, *cpu, cwd=remote, timeout=3000)
    assert done.returncode == 0, done.stdout[-6000:]
    return local / "results", remote / "results", done.stdout


def test_the_results_are_those_of_a_local_run(finished):
    local, remote, _ = finished
    kinds = ("tables/*.csv", "tables/*.tex", "tables/*.md", "metrics/**/*.json", "open/**/*")
    names = [path.relative_to(local) for kind in kinds for path in local.glob(kind) if path.is_file()]
    assert {path.suffix for path in names} >= {".csv", ".tex", ".json", ".trec", ".safetensors", ".tsv"}
    for name in names:
        expected, found = (local / name).read_bytes(), (remote / name).read_bytes()
        if name.suffix == ".json":
            expected, found = (PROVENANCE.sub("", text.decode()) for text in (expected, found))
        assert found == expected, name


def test_tables_and_figures_are_made_here_and_all_else_in_the_queue(finished):
    submitted = set(re.findall(r"Job \d+ has been submitted with SLURM jobid", finished[2]))
    rules = re.findall(r"^(local)?rule (\w+):", finished[2], re.MULTILINE)
    assert {name for kind, name in rules if kind} == LOCAL
    assert len(submitted) == len([name for kind, name in rules if not kind]) == 9


def test_with_device_cpu_no_job_asks_for_a_gpu(finished):
    jobs = queue("%i %b %C")
    assert len(jobs) >= 9 and not [job for job in jobs if "gpu" in job]


def test_gpu_jobs_wait_together_and_each_gets_a_card_of_its_own(finished, profile):
    folder = finished[1].parent
    cell = "results/open/risk/synthetic/mortality_lstm/all/{}/batch=64/seed=0/history.json"
    targets = [cell.format(row) for row in ROWS]
    # A user's --config leaves the profile's request for GPUs alone.
    config = ("--config", "seeds=[0]")
    for target in targets:
        (folder / target).unlink(missing_ok=True)
    words = [sys.executable, "-m", "snakemake", *targets, "--workflow-profile", profile, *TINY, *config]
    most = 0
    with subprocess.Popen(
        list(map(str, words)), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as run:
        try:
            deadline = time.monotonic() + 1800
            while run.poll() is None and time.monotonic() < deadline:
                waiting = [job for job in queue("%b %t") if "gpu" in job and job.endswith((" PD", " R"))]
                most = max(most, len(waiting))
                time.sleep(0.5)
        finally:
            run.send_signal(signal.SIGTERM)
        output = run.stdout.read()
    assert most == len(ROWS), output[-4000:]
    asked = [job for job in queue("%b %t") if "gpu" in job]
    assert len(asked) == len(ROWS) and all("gpu:1" in job for job in asked)
    # These cards are pretended, so every job ends with the message that says what to do.
    cards = set()
    for row in ROWS:
        log = folder / f"results/open/logs/train_risk/synthetic/mortality_lstm/all/{row}/batch=64/seed=0.log"
        text = log.read_text()
        assert "CUDA is not available" in text and "'device: cpu'" in text, text
        cards |= set(re.findall(r"CUDA_VISIBLE_DEVICES=(\d+)", text))
    assert cards == {"0", "1"}


def test_a_limit_of_no_gpus_reaches_the_jobs(finished, profile):
    folder = finished[1].parent
    target = f"results/open/risk/synthetic/mortality_lstm/all/{ROWS[1]}/batch=64/seed=0/run.json"
    before = len([job for job in queue("%i %b") if "gpu" in job])
    done = run_snakemake(
        target, "--workflow-profile", profile, *TINY, "--resources", "gpu=0", cwd=folder, timeout=1800
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert json.loads((folder / target).read_text())["device"] == "cpu"
    assert len([job for job in queue("%i %b") if "gpu" in job]) == before
