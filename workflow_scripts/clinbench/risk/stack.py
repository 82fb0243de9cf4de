"""Train settings that differ in the loss only as one stacked model: one pass of the data for all."""

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from clinbench.errors import UserError
from clinbench.interrupts import deferred, interrupted
from clinbench.progress import progress as shown
from clinbench.risk.batches import bucketed
from clinbench.risk.models.stacked import Stack
from clinbench.risk.progress import Progress
from clinbench.risk.stays import Stays, alike
from clinbench.risk.train import Recipe, or_none, rank
from clinbench.runtime import seeded


def train_stack(
    build: Callable[[], nn.Module],
    stack: Callable[[nn.Module, int], Stack],
    losses: list[nn.Module],
    data: Stays,
    validation: Stays,
    score: Callable[[np.ndarray, np.ndarray], float],
    recipe: Recipe,
    seed: int,
    state: Path,
) -> list[tuple[dict[str, Tensor], dict]]:
    """Train K settings of one seed at once: the same start, order and dropout for all, as one after the other.

    Args:
        build: makes one untrained model.
        stack: the plug-in's function that stacks it.
        losses: the K settings' losses.
        data, validation, score, recipe, seed: as for ``train.train``.
        state: file of the resume state.

    Returns:
        For each setting what ``train.train`` returns.

    Raises:
        UserError: a setting's loss became NaN or infinite; names the epoch and the setting.
    """
    with seeded(seed), deferred():
        model = stack(build(), len(losses)).to(data.values.device)
        optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
        progress = Progress(state, model, optimiser, torch.Generator().manual_seed(seed))
        first = len(progress.history)
        for epoch in shown(range(first + 1, recipe.epochs + 1), "epochs", recipe.epochs, start=first):
            before = _skipped(losses) - np.array(progress.skipped or [0] * len(losses))
            means = _epoch(model, losses, optimiser, data, recipe, progress, before)
            for loss, mean in zip(losses, means, strict=True):
                if not math.isfinite(mean):
                    raise UserError(
                        f"Training loss became {mean} in epoch {epoch} at scr_weight {loss.scr_weight}: lower the "
                        "learning rate or λ."
                    )
            labels = validation.labels.cpu().numpy()
            scores = [score(labels, probability) for probability in _predict(model, losses, validation)]
            skipped = (_skipped(losses) - before).tolist()
            tops = [_top(progress.history, index) for index in range(len(losses))]
            best = {
                f"{index}.{name}": tensor
                for index, (value, top) in enumerate(zip(scores, tops, strict=True))
                if top is None or rank(value) > rank(top["score"])
                for name, tensor in model.single(index).items()
            }
            told = zip(means, scores, skipped, strict=True)
            record = [
                {"epoch": epoch, "train_loss": mean, "skipped_anchors": count, "score": or_none(value)}
                for mean, value, count in told
            ]
            progress.end_epoch({"settings": record}, best)
            line = ", ".join(
                f"loss {mean:.4f} score {value:.4f}" for mean, value in zip(means, scores, strict=True)
            )
            print(f"epoch {epoch}/{recipe.epochs}: {line}", file=sys.stderr, flush=True)
    return [_result(progress, index) for index in range(len(losses))]


def _epoch(
    model: Stack,
    losses: list[nn.Module],
    optimiser: torch.optim.Optimizer,
    data: Stays,
    recipe: Recipe,
    progress: Progress,
    skipped_before: np.ndarray,
) -> list[float]:
    """Take one shuffled pass of gradient steps, or the rest of it, and return each setting's mean loss a sample."""
    model.train()
    total = progress.total.to(data.values.device) + torch.zeros(len(losses), device=data.values.device)
    batches = bucketed(data.lengths.cpu(), recipe.batch_size, progress.begin_epoch())
    for done, rows in enumerate(shown(batches, "batches", math.ceil(len(data) / recipe.batch_size)), 1):
        if done <= progress.batches:
            continue
        rows = rows.to(data.values.device)
        outputs, labels = model(*data.batch(rows)), data.labels[rows]
        values = torch.stack(
            [
                loss(logits, embeddings, labels) + penalty
                for loss, (logits, embeddings, penalty) in zip(losses, outputs, strict=True)
            ]
        )
        optimiser.zero_grad(set_to_none=True)
        values.sum().backward()
        model.clip(recipe.gradient_clip)
        optimiser.step()
        total += values.detach() * len(rows)
        if interrupted():
            progress.leave_at(done, total, (_skipped(losses) - skipped_before).tolist())
    return (total / len(data)).tolist()


def _predict(model: Stack, losses: list[nn.Module], stays: Stays) -> list[np.ndarray]:
    """Return each setting's probabilities (N,) or (N, C), float32, in evaluation mode."""
    model.eval()
    parts: list[list[Tensor]] = [[] for _ in losses]
    order = []
    with torch.no_grad():
        for rows in alike(stays.lengths):
            for part, loss, output in zip(parts, losses, model(*stays.batch(rows)), strict=True):
                part.append(loss.probability(output.logits).float().cpu())
            order.append(rows.cpu())
    back = torch.cat(order).argsort()
    return [torch.cat(part)[back].numpy() for part in parts]


def _skipped(losses: list[nn.Module]) -> np.ndarray:
    return np.array([loss.skipped_anchors for loss in losses])


def _top(history: list[dict], index: int) -> dict | None:
    """Return the best epoch's record of a setting; None before the first."""
    records = [item["settings"][index] for item in history]
    return max(records, key=lambda item: rank(item["score"]), default=None)


def _result(progress: Progress, index: int) -> tuple[dict[str, Tensor], dict]:
    top, prefix = _top(progress.history, index), f"{index}."
    weights = {
        name.removeprefix(prefix): tensor for name, tensor in progress.best.items() if name.startswith(prefix)
    }
    epochs = [item["settings"][index] for item in progress.history]
    return weights, {"score": top["score"], "epoch": top["epoch"], "epochs": epochs}
