"""The training loop: Adam, clipped gradients, validation score each epoch, resumable."""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from clinbench.errors import UserError
from clinbench.interrupts import deferred, interrupted
from clinbench.progress import progress as shown
from clinbench.risk.batches import bucketed
from clinbench.risk.progress import Progress
from clinbench.risk.stays import Stays, predict
from clinbench.runtime import seeded


@dataclass(frozen=True)
class Recipe:
    """How to optimise (risk.md §4.1)."""

    batch_size: int
    epochs: int
    learning_rate: float
    gradient_clip: float


def train(
    build: Callable[[], nn.Module],
    loss: nn.Module,
    data: Stays,
    validation: Stays,
    score: Callable[[np.ndarray, np.ndarray], float],
    recipe: Recipe,
    seed: int,
    state: Path,
) -> tuple[dict[str, Tensor], dict]:
    """Train one setting and keep the epoch with the highest validation score; randomness depends on ``seed``.

    Each epoch writes what it takes to go on to ``state``, and SIGTERM the batches since: an interrupted training
    ends with the same numbers.
    Args:
        build: makes the untrained model.
        loss: called with logits, embeddings, labels; has ``probability`` and ``skipped_anchors``.
        data, validation: stays on the device to train on; the latter select the epoch.
        score: maps labels and probabilities to the selection score, NaN if undefined.
        state: file of the resume state.
    Returns:
        Weights of the best epoch (on the CPU), and its ``score``, ``epoch`` (from 1) and all ``epochs``.
    Raises:
        UserError: the loss became NaN or infinite; names the epoch.
        SystemExit: a signal asked the process to end; the state is saved.
    """
    with seeded(seed), deferred():
        model = build().to(data.values.device)
        optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
        progress = Progress(state, model, optimiser, torch.Generator().manual_seed(seed))
        history = progress.history
        first = len(history)
        for epoch in shown(range(first + 1, recipe.epochs + 1), "epochs", recipe.epochs, start=first):
            before = loss.skipped_anchors - progress.skipped
            mean = _epoch(model, loss, optimiser, data, recipe, progress, before)
            if not math.isfinite(mean):
                raise UserError(
                    f"Training loss became {mean} in epoch {epoch}: lower the learning rate or λ."
                )
            probability, _ = predict(model, loss, validation)
            value = score(validation.labels.cpu().numpy(), probability)
            told = {"epoch": epoch, "train_loss": mean, "skipped_anchors": loss.skipped_anchors - before}
            is_best = not history or rank(value) > rank(top_score(history))
            progress.end_epoch(
                {**told, "score": or_none(value)}, on_cpu(model.state_dict()) if is_best else {}
            )
            print(
                f"epoch {epoch}/{recipe.epochs}: loss {mean:.4f}, score {value:.4f}",
                file=sys.stderr,
                flush=True,
            )
    top = max(history, key=lambda item: rank(item["score"]))
    return progress.best, {"score": top["score"], "epoch": top["epoch"], "epochs": history}


def step(
    model: nn.Module,
    loss: nn.Module,
    optimiser: torch.optim.Optimizer,
    data: Stays,
    rows: Tensor,
    clip: float,
) -> Tensor:
    """Take one gradient step on some stays and return the loss before it."""
    logits, embeddings, penalty = model(*data.batch(rows))
    value = loss(logits, embeddings, data.labels[rows]) + penalty
    optimiser.zero_grad(set_to_none=True)
    value.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimiser.step()
    return value.detach()


def _epoch(
    model: nn.Module,
    loss: nn.Module,
    optimiser: torch.optim.Optimizer,
    data: Stays,
    recipe: Recipe,
    progress: Progress,
    skipped_before: int,
) -> float:
    """Take one shuffled pass of gradient steps, or the rest of it, and return the mean loss a sample."""
    model.train()
    total = progress.total.to(data.values.device)
    batches = bucketed(data.lengths.cpu(), recipe.batch_size, progress.begin_epoch())
    for done, rows in enumerate(shown(batches, "batches", math.ceil(len(data) / recipe.batch_size)), 1):
        if done <= progress.batches:
            continue
        rows = rows.to(data.values.device)
        total += step(model, loss, optimiser, data, rows, recipe.gradient_clip) * len(rows)
        if interrupted():
            progress.leave_at(done, total, loss.skipped_anchors - skipped_before)
    return total.item() / len(data)


def on_cpu(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copy weights to the CPU."""
    return {name: tensor.detach().cpu().clone() for name, tensor in weights.items()}


def or_none(value: float) -> float | None:
    """Return a score as JSON has it: None where it is undefined."""
    return None if math.isnan(value) else float(value)


def rank(value: float | None) -> float:
    """Return what scores are compared by: an undefined one loses to all."""
    return -math.inf if value is None or math.isnan(value) else value


def top_score(history: list[dict]) -> float | None:
    """Return the highest score so far."""
    return max((item["score"] for item in history), key=rank, default=None)
