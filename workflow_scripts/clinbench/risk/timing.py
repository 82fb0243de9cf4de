"""How long a training step of each loss takes, as ratios measured side by side in one run."""

import time
from itertools import cycle, islice

import numpy as np
import torch
from torch import nn

from clinbench.cohorts.tensors import Cohort
from clinbench.progress import progress
from clinbench.risk.batches import bucketed
from clinbench.risk.settings import make_builder, make_loss
from clinbench.risk.stays import Stays
from clinbench.risk.train import Recipe, step
from clinbench.runtime import seeded

ROUNDS, STEPS = 7, 4


def time_losses(
    cohort: Cohort, model: dict, losses: dict[str, dict], recipe: Recipe, preset: str, device: str
) -> dict[str, list[float]]:
    """Time training steps of all losses in turn, on the same batches.

    Each round takes ``STEPS`` steps of every loss, in an order that rotates, so that whatever else the machine
    does falls on all of them; the first round warms up and is not counted.

    Args:
        losses: row to its configured loss, with ``scr_weight``; the first row is the reference.

    Returns:
        Row to its time over that of the first row in the same round, for each of ``ROUNDS`` rounds.
    """
    data = Stays.of(cohort.select("train"), device)
    trainers = {row: _trainer(cohort, model, loss, recipe, preset, device) for row, loss in losses.items()}
    order = bucketed(data.lengths.cpu(), recipe.batch_size, torch.Generator().manual_seed(0))
    batches = [rows.to(device) for rows in islice(cycle(list(order)), STEPS)]
    rows = list(trainers)
    seconds = np.zeros((ROUNDS + 1, len(rows)))
    for turn in progress(range(ROUNDS + 1), "timing rounds"):
        for place in np.roll(range(len(rows)), turn):
            seconds[turn, place] = _seconds(trainers[rows[place]], data, batches, recipe)
    ratios = seconds[1:] / seconds[1:, :1]
    return dict(zip(rows, ratios.T.tolist(), strict=True))


def _trainer(
    cohort: Cohort, model: dict, loss: dict, recipe: Recipe, preset: str, device: str
) -> tuple[nn.Module, nn.Module, torch.optim.Optimizer]:
    options = {key: value for key, value in loss.items() if key != "scr_weight"}
    module = make_loss(options, loss["scr_weight"], preset)
    with seeded(0):
        network = make_builder(model, cohort, module.outputs, preset)().to(device)
    return network.train(), module, torch.optim.Adam(network.parameters(), lr=recipe.learning_rate)


def _seconds(trainer: tuple, data: Stays, batches: list[torch.Tensor], recipe: Recipe) -> float:
    started = time.perf_counter()
    for rows in batches:
        step(*trainer, data, rows, recipe.gradient_clip)
    if data.values.is_cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - started
