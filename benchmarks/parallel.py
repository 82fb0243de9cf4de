"""Two jobs side by side on two cores against one after the other, each with the threads Snakemake grants it."""

import os
import statistics
import subprocess
import sys
import time

JOBS, REPEATS = 2, 3
# What Snakemake sets for a job of one thread, and what the Snakefile adds.
GRANTED = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}


def work() -> None:
    """Do what rules of one thread do: train a network, sort and join a table, multiply matrices."""
    from clinbench.runtime import torch_device  # first: it tells Polars its threads  # isort: skip
    import numpy as np
    import polars as pl
    import torch

    torch_device(0, 1)
    torch.manual_seed(0)
    network = torch.nn.LSTM(76, 64, batch_first=True)
    optimiser = torch.optim.Adam(network.parameters())
    rows = np.random.default_rng(0).integers(0, 50_000, size=(1_000_000, 2))
    frame = pl.DataFrame(rows, schema=["key", "value"])
    square = np.random.default_rng(1).normal(size=(900, 900))
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(3):
        for _ in range(8):
            loss = network(torch.randn(64, 48, 76))[0].square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        counts = frame.group_by("key").agg(pl.col("value").sum())
        frame.join(counts, on="key").sort("value", "key")
        square @ square


def seconds(side_by_side: bool) -> float:
    """Return the wall seconds of all jobs; starting Python and importing is not counted."""
    command = [sys.executable, __file__, "work"]
    jobs = [
        subprocess.Popen(command, env=os.environ | GRANTED, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(JOBS)
    ]
    for job in jobs:
        job.stdout.readline()
    began = time.perf_counter()
    for job in jobs:
        job.stdin.write(b"go\n")
        job.stdin.flush()
        if not side_by_side:
            job.wait()
    for job in jobs:
        assert job.wait() == 0
    return time.perf_counter() - began


if __name__ == "__main__":
    if "work" in sys.argv:
        work()
    else:
        pairs = [(seconds(True), seconds(False)) for _ in range(REPEATS)]
        together, apart = (statistics.median(times) for times in zip(*pairs, strict=True))
        cores = len(os.sched_getaffinity(0))
        print(
            f"{JOBS} jobs of one thread on {cores} cores: side by side {apart / together:.2f} times as fast "
            "as one after the other"
        )
