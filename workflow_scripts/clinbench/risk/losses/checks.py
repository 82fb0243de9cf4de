"""Checks of what the losses are given; every mistake is named with what to do about it."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from clinbench.errors import UserError, closest, refuse

HEADLINE = "The loss of this batch cannot be computed:"


def check_batch(
    labels: Tensor,
    logits: Tensor | None = None,
    embeddings: Tensor | None = None,
    outputs: int = 1,
    values: bool = True,
) -> None:
    """Refuse a batch that would broadcast, mislead or turn into NaN in silence.

    Args:
        labels: (N,) or (N, C) of 0 and 1, any real dtype.
        logits: floating, of the labels' shape; with ``outputs=2``, a last axis of 2 after it.
        embeddings: floating, (N, d).
        values: look at the numbers too; on a GPU this waits for the device once.

    Raises:
        UserError: no tensor, a wrong dtype, device or shape, an empty batch, labels other than 0 and 1,
            NaN or infinite logits or embeddings; all problems of one kind at once.
    """
    given = {"labels": labels, "logits": logits, "embeddings": embeddings}
    given = {name: tensor for name, tensor in given.items() if tensor is not None or name == "labels"}
    refuse(_type_problems(given), HEADLINE)
    refuse(_shape_problems(given, outputs), HEADLINE)
    if values:
        # A sum is finite unless a term is not (or it overflows, and then each term is looked at).
        floats = [given[name].detach().sum().isfinite() for name in ("logits", "embeddings") if name in given]
        if not torch.stack([_is_binary(labels).all(), *floats]).all():
            refuse(_value_problems(given), HEADLINE)


def number_above(name: str, value: float, bound: float, strict: bool = False) -> float:
    """Return ``value`` as a float, or refuse it unless it is finite and ≥ (with ``strict``, >) ``bound``."""
    sound = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not sound or value < bound or (strict and value == bound):
        raise UserError(f"{name}: a finite number {'>' if strict else '>='} {bound} expected, got {value!r}.")
    return float(value)


def one_of(name: str, value: str, choices: object) -> str:
    """Return ``value``, or refuse it unless it is among ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise UserError(
            f"{name}: one of {', '.join(choices)} expected, got {value!r}{closest(str(value), choices)}."
        )
    return value


def full_precision(tensor: Tensor) -> Tensor:
    """Return half-precision numbers, such as those of autocast, as float32; others as they are."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def _is_binary(labels: Tensor) -> Tensor:
    return (labels == 0) | (labels == 1)


def _type_problems(given: dict[str, Tensor]) -> Iterator[str]:
    for name, tensor in given.items():
        if not isinstance(tensor, Tensor):
            yield f"{name}: a torch.Tensor expected, got {type(tensor).__name__}."
        elif name != "labels" and not tensor.is_floating_point():
            yield f"{name}: a floating dtype expected, got {tensor.dtype}; convert with .float()."
        elif tensor.is_complex():
            yield f"{name}: a real dtype expected, got {tensor.dtype}."
    devices = {name: tensor.device for name, tensor in given.items() if isinstance(tensor, Tensor)}
    if len({*devices.values()}) > 1:
        yield f"{', '.join(devices)}: one device expected, got {', '.join(map(str, devices.values()))}."


def _shape_problems(given: dict[str, Tensor], outputs: int) -> Iterator[str]:
    shape = {name: tuple(tensor.shape) for name, tensor in given.items()}
    if len(shape["labels"]) not in (1, 2):
        yield f"labels: shape (N,) or (N, C) expected, got {shape['labels']}."
        return
    if not given["labels"].numel():
        yield f"labels: an empty batch has no loss, got shape {shape['labels']}."
    expected = shape["labels"] + ((2,) if outputs == 2 else ())
    if shape.get("logits", expected) != expected:
        yield (
            f"logits: shape {expected} expected beside labels {shape['labels']}, got {shape['logits']}; "
            f"this loss reads {outputs} logit{'s' * (outputs > 1)} a label."
        )
    stays = shape["labels"][0]
    if "embeddings" in shape and (len(shape["embeddings"]) != 2 or shape["embeddings"][0] != stays):
        yield f"embeddings: shape ({stays}, d) expected, got {shape['embeddings']}."


def _value_problems(given: dict[str, Tensor]) -> Iterator[str]:
    labels = given["labels"]
    odd = labels[~_is_binary(labels)]
    if len(odd):
        found = ", ".join(f"{value:g}" for value in odd.unique()[:5].tolist())
        yield f"labels: only 0 and 1 are allowed, found {found} ({len(odd)} of {labels.numel()})."
    for name in ("logits", "embeddings"):
        if name in given and (bad := int((~given[name].isfinite()).sum())):
            yield f"{name}: {bad} of {given[name].numel()} values are NaN or infinite."
