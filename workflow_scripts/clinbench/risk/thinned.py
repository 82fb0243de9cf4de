"""Rows trained on thinned training sets: the imbalance study of the paper, over several draws."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clinbench.cohorts.sampling import ALL, UNTHINNED, sample, why_skipped
from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError
from clinbench.evaluation.records import sampled_rows
from clinbench.files import atomic_path
from clinbench.risk.scored import bootstrap_options, facts
from clinbench.risk.search import choose


@dataclass(frozen=True)
class TrainedJob:
    """One finished search job: its draw, seed, batch size, records of its settings, and file of weights."""

    draw: int
    seed: int
    batch: int
    history: list[dict]
    weights: str


def thinned_predictions(cohort: Cohort, level: str, jobs: Sequence[TrainedJob], how: tuple) -> np.ndarray:
    """Apply what was selected on each draw and seed to the test stays.

    Args:
        cohort: the whole cohort of a task with one label.
        level: share of positives in the thinned training sets as text, or ``all``.
        jobs: of all draws, seeds and batch sizes.
        how: model, loss, preset and device, as ``selected.apply`` takes them.

    Returns:
        (T, S, N) float32 probabilities of T draws and S seeds; T is 0 for a level that is skipped.
    """
    if skipped(cohort, level):
        return np.empty((0, len({job.seed for job in jobs}), int((cohort.split == "test").sum())), np.float32)
    draws = sorted({job.draw for job in jobs})
    return np.stack([_of_draw(cohort, [job for job in jobs if job.draw == draw], how) for draw in draws])


def skipped(cohort: Cohort, level: str) -> str:
    """Say why there is no training set of a level, or nothing."""
    return "" if level == ALL else why_skipped(cohort.select("train").labels, float(level))


def searched(jobs: Sequence[TrainedJob]) -> int:
    """Count the trainings of each draw and seed.

    Raises:
        UserError: some had more than others.
    """
    counts: Counter[tuple[int, int]] = Counter()
    for job in jobs:
        counts[job.draw, job.seed] += len(job.history)
    if len({*counts.values()}) > 1:
        told = ", ".join(f"draw {draw} of seed {seed} {many}" for (draw, seed), many in counts.items())
        raise UserError(f"Each draw and seed is searched alike, but trainings are: {told}. Train them again.")
    return next(iter(counts.values()))


def write_thinned(path: str | Path, stays: np.ndarray, p: np.ndarray) -> None:
    """Write the names (N,) of the test stays and their probabilities (T, S, N) as npz, atomically."""
    with atomic_path(path) as temporary, open(temporary, "wb") as handle:
        np.savez(handle, stays=stays, probabilities=p)


def read_thinned(path: str | Path, test: Cohort) -> np.ndarray:
    """Read the probabilities (T, S, N) of exactly the test stays, in their order.

    Raises:
        UserError: the stays are not those of the test set.
    """
    with np.load(path, allow_pickle=False) as stored:
        if stored["stays"].tolist() != test.stays.tolist():
            raise UserError(f"{path}: its stays are not those of the test set; delete it and run again.")
        return stored["probabilities"]


def imbalance_record(
    cohort: Cohort, level: str, p: np.ndarray, budget: int, columns: dict, draws: dict
) -> dict:
    """Score what was predicted at one level.

    Args:
        cohort, level: as ``thinned_predictions``, which returned ``p``.
        budget: trainings of each draw and seed.
        columns: of the rows, see ``evaluation.records``.
        draws: of the bootstrap.

    Returns:
        A metrics record without provenance: rows over all draws (subset ``all``) and of each (``draw 0`` …),
        with ``level``; or, for a level that is skipped, an absent row with the reason.
    """
    test = cohort.select("test")
    known = facts(test, p.reshape(-1, len(test)), budget, draws)
    if reason := skipped(cohort, level):
        absent = {key: columns[key] for key in ("dataset", "model", "system")}
        return {"rows": [], "absent": [absent | {"level": level, "reason": reason}], "facts": known}
    rows = sampled_rows(
        test.labels, list(p), test.patients, level=level, columns=columns, **bootstrap_options(draws)
    )
    return {"rows": rows, "facts": known | {"train_sizes": {level: _sizes(cohort, level, range(len(p)))}}}


def _sizes(cohort: Cohort, level: str, draw_numbers: Sequence[int]) -> dict[str, list[int]]:
    """Return stays and positives of each draw's training set."""
    names = [UNTHINNED] if level == ALL else [f"positives={level},draw={draw}" for draw in draw_numbers]
    kept = [sample(cohort, name).select("train").labels for name in names]
    return {"n": [len(labels) for labels in kept], "positives": [int(labels.sum()) for labels in kept]}


def _of_draw(cohort: Cohort, jobs: Sequence[TrainedJob], how: tuple) -> np.ndarray:
    """Return the test probabilities (S, N) of the S seeds of one draw."""
    seeds = sorted({job.seed for job in jobs})
    return np.stack([_predicted(cohort, [job for job in jobs if job.seed == seed], how) for seed in seeds])


def _predicted(cohort: Cohort, jobs: Sequence[TrainedJob], how: tuple) -> np.ndarray:
    """Return the test probabilities of the setting selected among some jobs."""
    from safetensors.torch import load_file

    from clinbench.risk.selected import apply

    best = choose({job.batch: job.history for job in jobs})
    weights = next(job.weights for job in jobs if job.batch == best["batch_size"])
    return apply(cohort, best, load_file(weights), *how).probabilities
