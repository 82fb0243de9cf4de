"""How far a training is, kept in a file after each epoch and where a signal ends it."""

import sys
import time
from pathlib import Path
from typing import NoReturn

import torch
from torch import Tensor, nn

from clinbench.checkpoints import adam_slots, adam_tensors, parts, read_state, write_state
from clinbench.interrupts import leave

NEEDED = ("history", "batches", "skipped", "total", "random.cpu", "random.order")


class Progress:
    """Everything a training goes on from: model, optimiser, random states, place in the epoch.

    Attributes:
        history: one record a finished epoch.
        best: weights of the best epoch so far, on the CPU; None before the first.
        batches: batches done of the unfinished epoch; 0 at its start.
        total: scalar, sum of their losses over the samples.
        skipped: anchors they skipped.
    """

    def __init__(
        self, file: Path, model: nn.Module, optimiser: torch.optim.Optimizer, order: torch.Generator
    ):
        """Go on from ``file``: load it into what is given; without one start afresh.

        Args:
            file: the resume state.
            model, optimiser: on the device to train on.
            order: source of the order of stays.
        """
        self._file, self._model, self._optimiser, self._order = file, model, optimiser, order
        self.history: list[dict] = []
        self.best: dict[str, Tensor] | None = None
        self.batches, self.total, self.skipped = 0, torch.zeros(()), 0
        self._before, self._started = 0.0, time.monotonic()
        if found := read_state(file, NEEDED):
            self._load(*found)

    def begin_epoch(self) -> torch.Generator:
        """Return the source of the order, as it is at the start of the epoch that is under way."""
        self._order_at_start = self._order.get_state()
        return self._order

    def end_epoch(self, record: dict, best: dict[str, Tensor]) -> None:
        """Note a finished epoch and save; weights in ``best`` replace the best ones so far."""
        self.history.append(record)
        self.best = (self.best or {}) | best
        self.batches, self.total, self.skipped = 0, torch.zeros(()), 0
        self._save(self._order.get_state())

    def leave_at(self, batches: int, total: Tensor, skipped: int) -> NoReturn:
        """Save in the middle of an epoch and end the process."""
        self.batches, self.total, self.skipped = batches, total, skipped
        self._save(self._order_at_start)
        leave()

    def _save(self, order: Tensor) -> None:
        tensors = {"random.cpu": torch.get_rng_state(), "random.order": order, "total": self.total}
        if next(self._model.parameters()).is_cuda:
            tensors["random.cuda"] = torch.cuda.get_rng_state()
        tensors |= {f"model.{name}": tensor for name, tensor in self._model.state_dict().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in (self.best or {}).items()}
        tensors |= adam_tensors(self._optimiser.state_dict()["state"])
        facts = {
            "history": self.history,
            "batches": self.batches,
            "skipped": self.skipped,
            "seconds": self._before + time.monotonic() - self._started,
        }
        write_state(self._file, tensors, facts)

    def _load(self, tensors: dict[str, Tensor], facts: dict) -> None:
        self.history, self.batches, self.skipped = (facts[key] for key in ("history", "batches", "skipped"))
        self._before = facts["seconds"]
        place = f"epoch {len(self.history)}" + (f" and {self.batches} batches" if self.batches else "")
        print(f"going on after {place}", file=sys.stderr, flush=True)
        self.best = parts(tensors, "best") or None
        self.total = tensors["total"]
        self._model.load_state_dict(parts(tensors, "model"))
        groups = self._optimiser.state_dict()["param_groups"]
        self._optimiser.load_state_dict({"state": adam_slots(tensors), "param_groups": groups})
        random = parts(tensors, "random")
        torch.set_rng_state(random["cpu"])
        self._order.set_state(random["order"])
        if "cuda" in random and torch.cuda.is_available():
            torch.cuda.set_rng_state(random["cuda"])
