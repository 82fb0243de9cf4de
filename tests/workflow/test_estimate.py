"""The target `estimate`: jobs and hours of a plan, and no job of it is run."""

import csv
import json

from tests.paths import ROOT
from tests.runs import run_snakemake

CELL = "synthetic/mortality_lstm/all/bce/batch=64/seed=0"


def test_an_estimate_reads_what_was_measured_and_runs_nothing(tmp_path):
    seconds = tmp_path / f"results/benchmarks/train_risk/open/{CELL}.tsv"
    seconds.parent.mkdir(parents=True)
    seconds.write_text("s\tcpu_time\n7200.0\t7000\n")
    folder = tmp_path / f"results/open/risk/{CELL}"
    folder.mkdir(parents=True)
    (folder / "history.json").write_text(json.dumps([{"epochs": [{}] * 12}] * 6))  # 72 epochs of 1,000 stays
    (folder / "run.json").write_text(json.dumps({"n": 1000, "trainings": 6, "reused": 0}))
    overlay = "risk={synthetic: {stays: 2000}}"
    done = run_snakemake(
        *("estimate", "--cores", 1, "--config", overlay, "device=cpu", "tracks=[risk]"),
        *("--snakefile", ROOT / "Snakefile"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "estimate" in done.stdout and "core-hours" in done.stdout
    with open(tmp_path / "results/estimate.csv", newline="") as handle:
        rows = {row["rule"]: row for row in csv.DictReader(handle)}
    training = rows["train_risk"]
    assert training["jobs"] == training["left"] == "8" and training["source"] == "measured here"
    # 4 rows of 6 trainings of 12 epochs, 1,400 stays, at 100 s an epoch of 1,000
    assert abs(float(training["hours"]) - 4 * 6 * 12 * 1.4 * 100 / 3600) < 0.01
    assert rows["evaluate_risk"]["source"] == "shipped figure"
    assert not list(tmp_path.glob("results/open/risk/synthetic/*.npz"))
