"""Train all settings of one batch size; a finished one is never trained again."""

import sys
from collections.abc import Callable
from pathlib import Path

from torch import Tensor

from clinbench import plugins
from clinbench.checkpoints import read_facts, read_state, seconds_kept, write_state
from clinbench.cohorts.tensors import Cohort
from clinbench.defaults import with_defaults
from clinbench.digest import value_digest
from clinbench.errors import UserError
from clinbench.risk.losses.supervised import SupervisedContrastiveLoss
from clinbench.risk.models.layers import parameter_count
from clinbench.risk.search import Setting, describe
from clinbench.risk.stays import Stays
from clinbench.risk.tasks import Selection
from clinbench.risk.train import Recipe, train
from clinbench.runtime import cell_seed


def make_loss(loss: dict, scr_weight: float, preset: str) -> SupervisedContrastiveLoss:
    """Build the loss of a configured entry (``kind`` and its options) at one λ.

    Values are not checked in each batch: a cohort's labels have been, and the training names the epoch
    in which a loss stops being finite.
    """
    options = {key: value for key, value in loss.items() if key not in ("kind", "scr_weights")}
    return SupervisedContrastiveLoss(loss["kind"], scr_weight, preset=preset, check_values=False, **options)


def make_builder(model: dict, cohort: Cohort, outputs: int, preset: str) -> Callable:
    """Return a function that builds a configured model (``kind`` and options) for a cohort's features and labels."""
    module = plugins.load("risk.models", model["kind"])
    options = with_defaults(module.OPTIONS, model, preset)
    labels = None if cohort.labels.ndim == 1 else cohort.labels.shape[1]
    sizes = (len(cohort.features), len(cohort.static_features), labels, outputs)
    return lambda: module.build(*sizes, **options)


def train_settings(
    cohort: Cohort,
    model: dict,
    loss: dict,
    settings: list[Setting],
    recipe: Recipe,
    selection: Selection,
    *,
    preset: str,
    seed_parts: tuple,
    device: str,
    state: Path,
) -> tuple[list[dict], dict[str, Tensor]]:
    """Train each setting on the cohort's train split, selecting its epoch on another.

    Args:
        selection: what picks the epoch.
        seed_parts: what names this cell; without λ, so that all λ see the same start and order.
        state: folder of finished settings and resume states, kept by the caller.

    Returns:
        One record a setting, and all best weights with names ``{index}.{parameter}``.
    """
    data, held_out = (Stays.of(cohort.select(split), device) for split in ("train", selection.split))
    if len(held_out.labels.unique()) < 2:
        raise UserError(
            f"The {selection.stays} stays have one outcome only, so nothing can be selected on them."
        )
    records, weights = [], {}
    for index, setting in enumerate(settings):
        done = _finished(state, setting)
        module = make_loss(loss, setting.scr_weight, preset)
        build = make_builder(model, cohort, module.outputs, preset)
        if not is_finished(state, setting):
            print(f"setting {index + 1}/{len(settings)}: {setting}", file=sys.stderr, flush=True)
            best, record = train(
                build,
                module,
                data,
                held_out,
                selection.score,
                recipe,
                cell_seed(*seed_parts, setting.init),
                _resumed(done),
            )
            _finish(done, best, {**describe(setting), "parameters": parameter_count(build()), **record})
        best, facts = read_state(done)
        records.append(facts["record"])
        weights |= {f"{index}.{name}": tensor for name, tensor in best.items()}
    return records, weights


def is_finished(state: Path, setting: Setting) -> bool:
    """Tell whether a setting is trained and can be read."""
    return read_facts(_finished(state, setting)) is not None


def seconds_spent(state: Path, settings: list[Setting]) -> float:
    """Return the seconds of training that went into what is kept of some settings, finished or not."""
    files = [_finished(state, setting) for setting in settings]
    return seconds_kept(file if file.exists() else _resumed(file) for file in files)


def _finished(state: Path, setting: Setting) -> Path:
    return state / f"{value_digest(describe(setting))}.safetensors"


def _resumed(done: Path) -> Path:
    return done.with_suffix(".resume")


def _finish(done: Path, best: dict[str, Tensor], record: dict) -> None:
    """Keep a finished setting as one file and drop its resume state."""
    print(f"{record['parameters']:,} trainable parameters", file=sys.stderr)
    write_state(done, best, {"record": record, "seconds": seconds_kept([_resumed(done)])})
    _resumed(done).unlink(missing_ok=True)


def restore(weights: dict[str, Tensor], index: int, model) -> None:
    """Load the weights of setting ``index`` into ``model``."""
    prefix = f"{index}."
    model.load_state_dict(
        {name.removeprefix(prefix): tensor for name, tensor in weights.items() if name.startswith(prefix)}
    )
