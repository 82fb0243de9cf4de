"""The training loop: Adam, clipped gradients, validation score each epoch, resumable."""

import json
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from clinbench.errors import UserError
from clinbench.files import atomic_path
from clinbench.risk.batches import bucketed
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

    Each epoch writes what it takes to go on to ``state``: an interrupted training ends with the same numbers.
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
    """
    with seeded(seed):
        model = build().to(data.values.device)
        optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
        order = torch.Generator().manual_seed(seed)
        history, best = _resume(state, model, optimiser, order)
        for epoch in range(len(history) + 1, recipe.epochs + 1):
            before = loss.skipped_anchors
            mean = _epoch(model, loss, optimiser, data, order, recipe)
            if not math.isfinite(mean):
                raise UserError(
                    f"Training loss became {mean} in epoch {epoch}: lower the learning rate or λ."
                )
            probability, _ = predict(model, loss, validation)
            value = score(validation.labels.cpu().numpy(), probability)
            told = {"epoch": epoch, "train_loss": mean, "skipped_anchors": loss.skipped_anchors - before}
            history.append({**told, "score": _or_none(value)})
            if best is None or _rank(value) > _rank(_best(history[:-1])):
                best = {name: tensor.detach().cpu().clone() for name, tensor in model.state_dict().items()}
            _save(state, model, optimiser, order, history, best)
            print(
                f"epoch {epoch}/{recipe.epochs}: loss {mean:.4f}, score {value:.4f}",
                file=sys.stderr,
                flush=True,
            )
    top = max(history, key=lambda item: _rank(item["score"]))
    return best, {"score": top["score"], "epoch": top["epoch"], "epochs": history}


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
    order: torch.Generator,
    recipe: Recipe,
) -> float:
    """Take one shuffled pass of gradient steps and return the mean loss a sample."""
    model.train()
    total = torch.zeros((), device=data.values.device)
    for rows in bucketed(data.lengths.cpu(), recipe.batch_size, order):
        rows = rows.to(data.values.device)
        total += step(model, loss, optimiser, data, rows, recipe.gradient_clip) * len(rows)
    return total.item() / len(data)


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _rank(value: float | None) -> float:
    return -math.inf if value is None or math.isnan(value) else value


def _best(history: list[dict]) -> float | None:
    return max((item["score"] for item in history), key=_rank, default=None)


def _save(state: Path, model, optimiser, order, history: list[dict], best: dict[str, Tensor]) -> None:
    """Write model, optimiser, random states, history and best weights as one safetensors file."""
    tensors = {"random.cpu": torch.get_rng_state(), "random.order": order.get_state()}
    if next(model.parameters()).is_cuda:
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    tensors |= {f"model.{name}": tensor.contiguous() for name, tensor in model.state_dict().items()}
    tensors |= {f"best.{name}": tensor.contiguous() for name, tensor in best.items()}
    for index, slot in optimiser.state_dict()["state"].items():
        tensors |= {f"adam.{index}.{name}": tensor for name, tensor in slot.items()}
    with atomic_path(state) as temporary:
        save_file(tensors, temporary, metadata={"history": json.dumps(history)})


def _resume(state: Path, model, optimiser, order) -> tuple[list[dict], dict[str, Tensor] | None]:
    """Load a resume state into model, optimiser and generators; an absent one starts afresh."""
    if not state.exists():
        return [], None
    with safe_open(state, "pt") as handle:
        history = json.loads(handle.metadata()["history"])
    tensors = load_file(state)
    part = {prefix: _part(tensors, prefix) for prefix in ("random", "model", "best", "adam")}
    model.load_state_dict(part["model"])
    slots: dict[int, dict[str, Tensor]] = {}
    for name, tensor in part["adam"].items():
        index, key = name.split(".")
        slots.setdefault(int(index), {})[key] = tensor
    groups = optimiser.state_dict()["param_groups"]
    optimiser.load_state_dict({"state": slots, "param_groups": groups})
    torch.set_rng_state(part["random"]["cpu"])
    order.set_state(part["random"]["order"])
    if "cuda" in part["random"] and torch.cuda.is_available():
        torch.cuda.set_rng_state(part["random"]["cuda"])
    return history, part["best"]


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(f"{prefix}."): tensor
        for name, tensor in tensors.items()
        if name.startswith(f"{prefix}.")
    }
