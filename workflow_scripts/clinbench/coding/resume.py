"""Trainings of the library's trainers that go on where they were interrupted, bit for bit.

The library's own checkpoints are several files, some of them pickles, are not written at once, and lose the
running loss. Ours is one file. The order of batches is the library's: it depends on seed and epoch alone.
"""

import random
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from clinbench.checkpoints import adam_slots, adam_tensors, parts, read_state, write_state
from clinbench.files import write_json
from clinbench.interrupts import deferred, interrupted, leave

FIRST = 1.0  # seconds to the first save
SHARE = 20  # then saving takes at most one part of this many
NEEDED = ("trainer", "groups", "schedule", "last_logged", "python", "numpy", "running_loss", "random.cpu")


class Resumable:
    """Put before a trainer of sentence-transformers, it saves to and resumes from one file.

    Its methods with a leading underscore stand in for the library's, which work on a folder of files.
    """

    def fit(self, state: Path | None, scratch: Path) -> None:
        """Train, or go on from ``state``; saved there now and then, at SIGTERM, and at the end.

        Args:
            state: file of the resume state; None to keep none.
            scratch: folder for what the library wants to read as a file.

        Raises:
            SystemExit: a signal asked the process to end; the state is saved.
        """
        self._state_file, self._found = state, state and read_state(state, NEEDED)
        self._before = self._found[1]["seconds"] if self._found else 0.0
        self._started = self._saved = time.monotonic()
        self._pause = FIRST
        if state is None:
            self.train()
            return
        self.add_callback(_pacemaker(self))
        if self._found:
            write_json(scratch / "trainer_state.json", self._found[1]["trainer"])
        with deferred():
            self.train(resume_from_checkpoint=str(scratch) if self._found else None)
            self._save_checkpoint(self.model, None)

    @property
    def seconds(self) -> float:
        """Seconds of training so far, those before an interruption included."""
        return self._before + time.monotonic() - self._started

    def due(self) -> bool:
        """Tell whether it is time to save: asked to end, or long enough after the last one."""
        return interrupted() or time.monotonic() - self._saved >= self._pause

    def go_on(self) -> None:
        """Restore the running loss, which the library resets at the start."""
        if not self._found:
            return
        tensors, facts = self._found
        print(f"going on after step {self.state.global_step}", file=sys.stderr, flush=True)
        self._tr_loss += tensors["running_loss"].to(self._tr_loss.device)
        self._globalstep_last_logged = facts["last_logged"]

    def _save_checkpoint(self, model: Any, trial: None) -> None:
        import torch

        began = time.monotonic()
        optimiser = self.optimizer.state_dict()
        tensors = {"running_loss": self._tr_loss, "random.cpu": torch.get_rng_state()}
        if self.args.device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state()
        tensors |= {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        tensors |= adam_tensors(optimiser["state"])
        numpy = np.random.get_state()
        facts = {
            "trainer": asdict(self.state),
            "groups": optimiser["param_groups"],
            "schedule": self.lr_scheduler.state_dict(),
            "last_logged": self._globalstep_last_logged,
            "python": random.getstate(),
            "numpy": [numpy[0], numpy[1].tolist(), *numpy[2:]],
            "seconds": self.seconds,
        }
        write_state(self._state_file, tensors, facts)
        self._saved = time.monotonic()
        self._pause = SHARE * (self._saved - began)

    def _load_from_checkpoint(self, checkpoint: str) -> None:
        self.model.load_state_dict(parts(self._found[0], "model"))

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        if checkpoint is None:
            return
        tensors, facts = self._found
        self.optimizer.load_state_dict({"state": adam_slots(tensors), "param_groups": facts["groups"]})
        self.lr_scheduler.load_state_dict(facts["schedule"])

    def _load_rng_state(self, checkpoint: str | None) -> None:
        import torch

        if checkpoint is None:
            return
        tensors, facts = self._found
        version, words, gauss = facts["python"]
        random.setstate((version, tuple(words), gauss))
        name, keys, *rest = facts["numpy"]
        np.random.set_state((name, np.array(keys, dtype=np.uint32), *rest))
        torch.set_rng_state(tensors["random.cpu"])
        if "random.cuda" in tensors and torch.cuda.is_available():
            torch.cuda.set_rng_state(tensors["random.cuda"])


def _pacemaker(trainer: Resumable) -> Any:
    """Make a callback that says when to save, and ends the process once it is saved."""
    from transformers import TrainerCallback

    class Pacemaker(TrainerCallback):
        def on_train_begin(self, args, state, control, **_):
            trainer.go_on()

        def on_step_end(self, args, state, control, **_):
            control.should_save = trainer.due()  # after the step's loss is logged

        def on_save(self, args, state, control, **_):
            if interrupted():
                leave()

    return Pacemaker()
