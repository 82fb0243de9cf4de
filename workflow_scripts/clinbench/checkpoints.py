"""Resume states: one safetensors file of tensors and JSON facts with a checksum, written whole or not at all."""

import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from safetensors import safe_open

from clinbench.files import atomic_path, sweep

if TYPE_CHECKING:
    from torch import Tensor


def write_state(path: Path, tensors: "dict[str, Tensor]", facts: dict) -> None:
    """Write tensors, which may share memory or lie on a GPU, and JSON-able facts, ``seconds`` of work among them.

    The same content gives the same bytes: checksum and facts are one text, since the format shuffles several.
    """
    from safetensors.torch import save_file

    held: set[int] = set()
    apart = {}
    for name, tensor in tensors.items():
        shared = tensor.data_ptr() in held  # the format has no shared tensors
        held.add(tensor.data_ptr())
        apart[name] = (tensor.detach().clone() if shared else tensor.detach()).cpu().contiguous()
    text = json.dumps(facts)
    sweep([path])
    with atomic_path(path) as temporary:
        save_file(apart, temporary, metadata={"facts": f"{_checksum(apart, text)} {text}"})


def read_state(path: Path, needed: Iterable[str] = ()) -> "tuple[dict[str, Tensor], dict] | None":
    """Return tensors, on the CPU, and facts; None, and a line in the log, if there is no file that can be read.

    Args:
        path: the file.
        needed: names of tensors and facts that it has to hold, beside ``seconds``.
    """
    if not path.is_file():
        return None
    try:
        with safe_open(path, "pt") as handle:
            checksum, _, text = handle.metadata()["facts"].partition(" ")
            tensors = {name: handle.get_tensor(name) for name in handle.keys()}  # noqa: SIM118
        if checksum != _checksum(tensors, text):
            raise ValueError("its checksum is another")
        facts = json.loads(text)
        if lacking := {"seconds", *needed} - facts.keys() - tensors.keys():
            raise ValueError(f"it lacks {', '.join(sorted(lacking))}")
    except Exception as error:  # a damaged file may raise anything
        print(f"{path} cannot be read ({error}); starting over.", file=sys.stderr)
        return None
    return tensors, facts


def read_facts(path: Path, needed: Iterable[str] = ()) -> dict | None:
    """Return the facts of a state, which is read whole: facts are worth nothing where tensors are damaged."""
    found = read_state(path, needed)
    return found and found[1]


def seconds_kept(files: Iterable[Path]) -> float:
    """Return the seconds of work that states hold, by their fact ``seconds``; none for one that cannot be read."""
    return sum(facts["seconds"] for facts in map(read_facts, files) if facts)


def _checksum(tensors: "dict[str, Tensor]", text: str) -> str:
    """Return SHA-256 of facts as written and of all tensors, by name, type, shape and bytes."""
    import torch

    found = hashlib.sha256(text.encode())
    for name, tensor in sorted(tensors.items()):
        found.update(f"\n{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        found.update(tensor.cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    return found.hexdigest()


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
