"""The suite on a real SLURM of one machine: the same results as a local run, and GPUs for who asks."""

import json
import re
import subprocess
import sys
import time

import pytest
from tests.runs import run_snakemake

TINY = ("--configfile", "tiny.yaml")
ROWS = ("bce", "cbce", "csce")
TABLES = {"risk_table", "coding_table", "subsets_table", "chapters_figure"}
LOCAL = TABLES | {"claims", "report", "manifest", "all"}
PROVENANCE = re.compile(r'^ *"(wall_seconds|device|git_\w+|threads)":.*\n', re.MULTILINE)


def queue():
    """Return of every job, finished ones too, its state and what it asked for beside CPUs and memory."""
    columns = "statecompact:10,tres-per-job:60,tres-per-node:60"
    done = subprocess.run(
        ["squeue", "-h", "-t", "all", "-O", columns], capture_output=True, text=True, timeout=20
    )
    return [line.split(maxsplit=1) for line in done.stdout.splitlines()]


def on_gpu(states=("PD", "R", "CG", "CD", "F")):
    return [asked for state, asked in queue() if "gpu" in asked and state in states]


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
    files = [path for kind in kinds for path in local.glob(kind) if path.is_file()]
    # What a training could go on from holds seconds.
    names = [path.relative_to(local) for path in files if ".state" not in path.parts]
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
    assert len(submitted) == len([name for kind, name in rules if not kind]) == 11


def test_with_device_cpu_no_job_asks_for_a_gpu(finished):
    assert len(queue()) >= 11 and not on_gpu()


def test_gpu_jobs_wait_together_and_each_gets_a_card_of_its_own(finished, profile):
    folder = finished[1].parent
    cell = "results/open/risk/synthetic/mortality_lstm/all/{}/batch=64/seed=0/history.json"
    targets = [cell.format(row) for row in ROWS]
    # A user's --config leaves the profile's request for GPUs alone.
    config = ("--config", "seeds=[0]")
    for target in targets:
        (folder / target).unlink(missing_ok=True)
    words = [sys.executable, "-m", "snakemake", *targets, "--workflow-profile", profile, *TINY, *config]
    most, deadline = 0, time.monotonic() + 1800
    with open(folder / "gpu.txt", "w+") as output:
        with subprocess.Popen(list(map(str, words)), cwd=folder, stdout=output, stderr=output) as run:
            try:
                while run.poll() is None and time.monotonic() < deadline:
                    most = max(most, len(on_gpu(("PD", "R"))))
                    time.sleep(0.5)
            finally:
                run.terminate()
        output.seek(0)
        assert most == len(ROWS), output.read()[-4000:]
    assert len(on_gpu()) == len(ROWS) and all("gpu:1" in asked for asked in on_gpu())
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
    before = len(on_gpu())
    done = run_snakemake(
        target, "--workflow-profile", profile, *TINY, "--resources", "gpu=0", cwd=folder, timeout=1800
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert json.loads((folder / target).read_text())["device"] == "cpu"
    assert len(on_gpu()) == before
