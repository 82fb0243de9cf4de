"""Rows trained on thinned training sets: the imbalance study of the paper, over several draws."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from safetensors.torch import load_file

from clinbench.cohorts.sampling import keep_positives, too_few
from clinbench.cohorts.tensors import Cohort
from clinbench.risk.scored import facts, metric_rows
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
    cohort: Cohort, level: float, jobs: Sequence[TrainedJob], how: tuple, columns: dict, draws: dict
) -> dict:
    """Apply what was selected on each draw and seed to the test stays, and score it.

    Args:
        cohort: the whole cohort of a task with one label.
        level: share of positives in the thinned training sets.
        jobs: of all draws, seeds and batch sizes.
        how: model, loss, preset and device, as ``selected.apply`` takes them.
        columns: of the rows, see ``evaluation.records``.
        draws: of the bootstrap.

    Returns:
        A metrics record without provenance: rows over all draws (subset ``all``) and of each (``draw 0`` …),
        with ``level`` as text; or, where too few positives are left, an absent row with the reason.
    """
    name = f"{level:g}"
    test, train = cohort.select("test"), cohort.select("train")
    reason = too_few(train.labels, level)
    budget = sum(len(job.history) for job in jobs if (job.draw, job.seed) == (jobs[0].draw, jobs[0].seed))
    known = facts(test, columns["dataset"], None, budget, draws)
    if reason:
        absent = {key: columns[key] for key in ("dataset", "model", "system")}
        return {"rows": [], "absent": [absent | {"level": name, "reason": reason}], "facts": known}
    cells = sorted({(job.draw, job.seed) for job in jobs})
    p = np.stack(
        [_predicted(cohort, [job for job in jobs if (job.draw, job.seed) == at], how) for at in cells]
    )
    drawn = np.array([draw for draw, _ in cells])
    rows = metric_rows(test, p, columns, draws)
    for draw in sorted(set(drawn.tolist())):
        rows += metric_rows(test, p[drawn == draw], columns | {"subset": f"draw {draw}"}, draws)
    kept = [keep_positives(train.labels, level, draw) for draw in sorted(set(drawn.tolist()))]
    sizes = {
        "n": [int(mask.sum()) for mask in kept],
        "positives": [int(train.labels[mask].sum()) for mask in kept],
    }
    return {"rows": [row | {"level": name} for row in rows], "facts": known | {"train_sizes": {name: sizes}}}


def _predicted(cohort: Cohort, jobs: Sequence[TrainedJob], how: tuple) -> np.ndarray:
    """Return the test probabilities of the setting selected among some jobs."""
    best = choose({job.batch: job.history for job in jobs})
    weights = next(job.weights for job in jobs if job.batch == best["batch_size"])
    return apply(cohort, best, load_file(weights), *how).probabilities
