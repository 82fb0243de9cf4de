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
from clinbench.progress import progress
from clinbench.risk.losses.supervised import SupervisedContrastiveLoss
from clinbench.risk.models.layers import parameter_count
from clinbench.risk.search import Setting, describe
from clinbench.risk.stack import train_stack
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
    stacked: str = "auto",
) -> tuple[list[dict], dict[str, Tensor]]:
    """Train each setting on the cohort's train split, selecting its epoch on another.

    Settings of one initialisation may train as one stacked model, with the same numbers up to rounding.

    Args:
        selection: what picks the epoch.
        seed_parts: what names this cell; without λ, so that all λ see the same start and order.
        state: folder of finished settings and resume states, kept by the caller.
        stacked: ``auto``, on a GPU; ``always``; ``never``. Models without ``stack`` never are.

    Returns:
        One record a setting, and all best weights with names ``{index}.{parameter}``.
    """
    data, held_out = (Stays.of(cohort.select(split), device) for split in ("train", selection.split))
    if len(held_out.labels.unique()) < 2:
        raise UserError(
            f"The {selection.stays} stays have one outcome only, so nothing can be selected on them."
        )
    stack = getattr(plugins.load("risk.models", model["kind"]), "stack", None)
    if stacked == "never" or (stacked == "auto" and device == "cpu"):  # slower there, benchmarks/stacked.py
        stack = None
    build = make_builder(model, cohort, make_loss(loss, 0.0, preset).outputs, preset)
    left = [item for item in settings if not is_finished(state, item)]
    for group in progress(_groups(left, stack is not None), "trainings"):
        losses = [make_loss(loss, setting.scr_weight, preset) for setting in group]
        place, seed = _resumed(state, group), cell_seed(*seed_parts, group[0].init)
        print(f"training {', '.join(map(str, group))}", file=sys.stderr, flush=True)
        if len(group) > 1:
            found = train_stack(build, stack, losses, data, held_out, selection.score, recipe, seed, place)
        else:
            found = [train(build, losses[0], data, held_out, selection.score, recipe, seed, place)]
        _finish(state, group, found, parameter_count(build()))
    records, weights = [], {}
    for index, setting in enumerate(settings):
        best, facts = read_state(_finished(state, setting))
        records.append(facts["record"])
        weights |= {f"{index}.{name}": tensor for name, tensor in best.items()}
    return records, weights


def _groups(settings: list[Setting], together: bool) -> list[list[Setting]]:
    """Return what trains at once: each setting alone, or all of one initialisation."""
    if not together:
        return [[setting] for setting in settings]
    inits = dict.fromkeys(setting.init for setting in settings)
    return [[setting for setting in settings if setting.init == init] for init in inits]


def is_finished(state: Path, setting: Setting) -> bool:
    """Tell whether a setting is trained and can be read."""
    return read_facts(_finished(state, setting), ["record"]) is not None


def seconds_spent(state: Path, settings: list[Setting]) -> float:
    """Return the seconds of training that went into what is kept of some settings, finished or not."""
    return seconds_kept([*(_finished(state, setting) for setting in settings), *state.glob("*.resume")])


def _finished(state: Path, setting: Setting) -> Path:
    return state / f"{value_digest(describe(setting))}.safetensors"


def _resumed(state: Path, group: list[Setting]) -> Path:
    return state / f"{value_digest([describe(setting) for setting in group])}.resume"


def _finish(
    state: Path, group: list[Setting], found: list[tuple[dict[str, Tensor], dict]], parameters: int
) -> None:
    """Keep each finished setting as one file and drop their resume state; they share its seconds."""
    print(f"{parameters:,} trainable parameters", file=sys.stderr)
    place = _resumed(state, group)
    seconds = seconds_kept([place]) / len(group)
    for setting, (best, record) in zip(group, found, strict=True):
        record = {**describe(setting), "parameters": parameters, **record}
        write_state(_finished(state, setting), best, {"record": record, "seconds": seconds})
    place.unlink(missing_ok=True)


def restore(weights: dict[str, Tensor], index: int, model) -> None:
    """Load the weights of setting ``index`` into ``model``."""
    prefix = f"{index}."
    model.load_state_dict(
        {name.removeprefix(prefix): tensor for name, tensor in weights.items() if name.startswith(prefix)}
    )
