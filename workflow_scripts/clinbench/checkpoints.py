"""Resume states: one safetensors file of tensors and JSON facts, written whole or not at all, no pickle."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from safetensors import SafetensorError, safe_open

from clinbench.files import atomic_path, sweep

if TYPE_CHECKING:
    from torch import Tensor


def write_state(path: Path, tensors: "dict[str, Tensor]", facts: dict) -> None:
    """Write tensors, which may share memory or lie on a GPU, and JSON-able facts."""
    from safetensors.torch import save_file

    held: set[int] = set()
    apart = {}
    for name, tensor in tensors.items():
        shared = tensor.data_ptr() in held  # the format has no shared tensors
        held.add(tensor.data_ptr())
        apart[name] = tensor.detach().clone() if shared else tensor.detach().contiguous()
    sweep([path])
    with atomic_path(path) as temporary:
        save_file(apart, temporary, metadata={"facts": json.dumps(facts)})


def read_state(path: Path) -> "tuple[dict[str, Tensor], dict] | None":
    """Return tensors, on the CPU, and facts; None, and a line in the log, if there is no file that can be read."""
    from safetensors.torch import load_file

    if (facts := read_facts(path)) is None:
        return None
    return load_file(path), facts


def read_facts(path: Path) -> dict | None:
    """Return the facts of a state alone."""
    if not path.is_file():
        return None
    try:
        with safe_open(path, "pt") as handle:
            return json.loads(handle.metadata()["facts"])
    except (SafetensorError, KeyError, TypeError, ValueError, OSError) as error:
        print(f"{path} cannot be read ({error}); starting over.", file=sys.stderr)
        return None


def seconds_kept(files: Iterable[Path]) -> float:
    """Return the seconds of work that states hold, by their fact ``seconds``; none for one that is not there."""
    return sum((read_facts(file) or {"seconds": 0.0})["seconds"] for file in files)


def parts(tensors: "dict[str, Tensor]", prefix: str) -> "dict[str, Tensor]":
    """Return the tensors whose names begin with ``prefix.``, without it."""
    start = f"{prefix}."
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}


def adam_tensors(slots: dict[int, "dict[str, Tensor]"]) -> "dict[str, Tensor]":
    """Name the tensors of an optimiser's state, a dict of tensors for each parameter."""
    return {f"adam.{index}.{key}": tensor for index, slot in slots.items() for key, tensor in slot.items()}


def adam_slots(tensors: "dict[str, Tensor]") -> dict[int, "dict[str, Tensor]"]:
    """Take back what ``adam_tensors`` named."""
    slots: dict[int, dict[str, Tensor]] = {}
    for name, tensor in parts(tensors, "adam").items():
        index, key = name.split(".")
        slots.setdefault(int(index), {})[key] = tensor
    return slots
