"""What the two trained systems share: training arguments, isolation of random state, a model card."""

import math
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from clinbench.coding.resume import Resumable
from clinbench.errors import UserError
from clinbench.files import write_text
from clinbench.progress import Bar
from clinbench.runtime import seeded


def training_arguments(
    kind: type, scratch: str | Path, device: str, precision: str, seed: int, **settings: Any
) -> Any:
    """Build a trainer's arguments: seeded, silent, one device, nothing kept on disk, 10 % warm-up.

    Args:
        kind: training-arguments class of sentence-transformers.
        scratch: folder the trainer may write to and that is thrown away.
        device: ``cpu`` or ``cuda``.
        precision: ``fp32`` or ``bf16``, in which the forward pass computes; weights stay float32.
        seed: of dropout, new layers and the order of batches.
        settings: further arguments (epochs, batch size, learning rate).
    """
    gpu = device != "cpu"
    arguments = kind(
        output_dir=str(scratch),
        use_cpu=not gpu,
        bf16=precision == "bf16",
        seed=seed,
        data_seed=seed,
        warmup_steps=0.1,
        report_to="none",
        save_strategy="no",
        logging_steps=0.1,
        logging_nan_inf_filter=False,
        disable_tqdm=True,
        dataloader_pin_memory=gpu,
        **settings,
    )
    if arguments.n_gpu > 1:
        arguments._n_gpu = 1  # a job is granted one GPU, however many the machine shows
    return arguments


def rows_per_pass(device: str) -> int:
    """Return how many rows of like length share a forward pass in training: few on a CPU, many on a GPU."""
    return 16 if device == "cpu" else 1024


@contextmanager
def isolated(seed: int) -> Iterator[None]:
    """Seed everything a trainer draws from, and give the process its random state back afterwards."""
    states = random.getstate(), np.random.get_state()
    try:
        with seeded(seed):
            yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])


def run_trainer(
    kind: type, stage: str, state: Path | None, *made_of: Any, **settings: Any
) -> dict[str, object]:
    """Train, or go on where a training was interrupted.

    Args:
        kind: trainer class of sentence-transformers.
        stage: name of the training, for its resume state.
        state: folder of resume states, which the caller removes in the end; None keeps none.
        made_of, settings: the trainer's arguments; the second one's ``output_dir`` is for scratch.

    Returns:
        ``steps``, ``seconds`` and ``losses``, the means over each tenth of the steps.

    Raises:
        UserError: the loss became NaN or infinite; step and learning rate are named.
        SystemExit: a signal asked the process to end; the state is saved.
    """
    from transformers import PrinterCallback

    trainer = type(kind.__name__, (Resumable, kind), {})(*made_of, **settings)
    trainer.remove_callback(PrinterCallback)
    scratch = Path(trainer.args.output_dir)
    with Bar("steps") as bar:
        trainer.add_callback(_loss_watch(bar))
        trainer.fit(state and state / f"{stage}.resume", scratch)
    losses = [round(entry["loss"], 4) for entry in trainer.state.log_history if "loss" in entry]
    return {"steps": trainer.state.global_step, "seconds": round(trainer.seconds, 2), "losses": losses}


def _loss_watch(bar: Bar) -> Any:
    """Make a callback that shows the steps, prints the loss and stops at one that is not finite."""
    from transformers import TrainerCallback

    class LossWatch(TrainerCallback):
        def on_train_begin(self, args, state, control, **_):
            bar.begin(state.max_steps, state.global_step)

        def on_step_end(self, args, state, control, **_):
            bar.reach(state.global_step)

        def on_log(self, args, state, control, logs=None, **_):
            loss = (logs or {}).get("loss")
            if loss is None:
                return
            print(f"step {state.global_step}/{state.max_steps}: loss {loss:.4f}", file=sys.stderr, flush=True)
            if not math.isfinite(loss):
                raise UserError(
                    f"Training loss became {loss} by step {state.global_step} at learning rate "
                    f"{args.learning_rate}: lower the learning rate."
                )

    return LossWatch()


def write_card(folder: Path, title: str, facts: dict[str, object]) -> None:
    """Write a model card (``README.md``) without any training text, which may be confidential, and any time."""
    lines = [f"- {name}: {_untimed(value)}" for name, value in facts.items() if name != "seconds"]
    head = "---\nlibrary_name: sentence-transformers\n---\n\n"
    write_text(folder / "README.md", "\n".join([f"{head}# {title}", "", *lines, ""]))


def _untimed(value: object) -> object:
    return {key: of for key, of in value.items() if key != "seconds"} if isinstance(value, dict) else value
