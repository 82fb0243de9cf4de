"""Rows trained on thinned training sets: the imbalance study of the paper, over several draws."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from safetensors.torch import load_file

from clinbench.cohorts.sampling import ALL, UNTHINNED, sample, why_skipped
from clinbench.cohorts.tensors import Cohort
from clinbench.evaluation.records import sampled_rows
from clinbench.risk.scored import bootstrap_options, facts
from clinbench.risk.search import choose
from clinbench.risk.selected import apply


@dataclass(frozen=True)
class TrainedJob:
    """One finished search job: its draw, seed, batch size, records of its settings, and file of weights."""

    draw: int
    seed: int
    batch: int
    history: list[dict]
    weights: str


def imbalance_record(
    cohort: Cohort, level: str, jobs: Sequence[TrainedJob], how: tuple, columns: dict, draws: dict
) -> dict:
    """Apply what was selected on each draw and seed to the test stays, and score it.

    Args:
        cohort: the whole cohort of a task with one label.
        level: share of positives in the thinned training sets as text, or ``all``.
        jobs: of all draws, seeds and batch sizes.
        how: model, loss, preset and device, as ``selected.apply`` takes them.
        columns: of the rows, see ``evaluation.records``.
        draws: of the bootstrap.

    Returns:
        A metrics record without provenance: rows over all draws (subset ``all``) and of each (``draw 0`` …),
        with ``level``; or, for a level that is skipped, an absent row with the reason.
    """
    test, train = cohort.select("test"), cohort.select("train")
    draw_numbers = sorted({job.draw for job in jobs})
    of_one = [job for job in jobs if (job.draw, job.seed) == (jobs[0].draw, jobs[0].seed)]
    budget = sum(len(job.history) for job in of_one)
    reason = "" if level == ALL else why_skipped(train.labels, float(level))
    if reason:
        absent = {key: columns[key] for key in ("dataset", "model", "system")}
        known = facts(test, np.empty((0, len(test))), budget, draws)
        return {"rows": [], "absent": [absent | {"level": level, "reason": reason}], "facts": known}
    p = [_of_draw(cohort, [job for job in jobs if job.draw == draw], how) for draw in draw_numbers]
    rows = sampled_rows(
        test.labels, p, test.patients, level=level, columns=columns, **bootstrap_options(draws)
    )
    known = facts(test, np.concatenate(p), budget, draws)
    return {"rows": rows, "facts": known | {"train_sizes": {level: _sizes(cohort, level, draw_numbers)}}}


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
    best = choose({job.batch: job.history for job in jobs})
    weights = next(job.weights for job in jobs if job.batch == best["batch_size"])
    return apply(cohort, best, load_file(weights), *how).probabilities
