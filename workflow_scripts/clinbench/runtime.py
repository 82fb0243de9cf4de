"""The one place for seeds, devices and threads."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from clinbench.cards import VISIBLE, lease_card
from clinbench.errors import UserError


def cell_seed(*parts: object) -> int:
    """Derive the seed of one cell from what names it, stable over machines and versions.

    Example:
        >>> cell_seed("synthetic", "mortality", 64, 0)
        2856309
    """
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") >> 1


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch inside the block and give the caller's random state back afterwards."""
    import torch

    devices = [torch.cuda.current_device()] if torch.cuda.is_initialized() else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        yield


def cuda_present() -> bool:
    """Tell whether this machine has a usable CUDA device; cheap where there is none."""
    if not any(Path("/dev").glob("nvidia[0-9]*")) and not Path("/dev/dxg").exists():
        return False
    import torch

    return torch.cuda.is_available()


def gpus_per_job(device: str, cluster: bool = False) -> int:
    """Return how many GPUs a GPU rule asks for: 0 or 1.

    Args:
        device: the config key; ``auto`` asks on a cluster, and where CUDA works on this machine.
        cluster: whether jobs go to a queue.
    """
    return int(device == "cuda" or (device == "auto" and (cluster or cuda_present())))


def granted_gpus(resources: Mapping[str, object]) -> int:
    """Return how many GPUs a job was granted, 0 or 1; a cluster may know them as ``gres`` only."""
    return int(bool(resources.get("gpu")) or "gpu" in str(resources.get("gres") or ""))


def torch_device(gpus: int, threads: int) -> str:
    """Set torch's threads and determinism, and return ``cuda`` if and only if a GPU was granted.

    A granted GPU is leased first (``clinbench.cards``), and is then the only one this process sees.

    Args:
        gpus: how many GPUs the job was granted.
        threads: how many threads the job was granted; never more than the CPUs at hand.

    Raises:
        UserError: a GPU was granted but CUDA does not work here.
    """
    import torch

    torch.set_num_threads(usable_threads(threads))
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # costs time and changes no defined number
    if not gpus:
        return "cpu"
    lease_card()
    if not torch.cuda.is_available():
        raise UserError(
            f"A GPU was granted ({VISIBLE}={os.environ.get(VISIBLE, '')}) but CUDA is not available in this "
            "Python environment. Set 'device: cpu' in the configuration, or install a CUDA build of torch."
        )
    return "cuda"


def usable_precision(device: str, precision: str) -> str:
    """Return the precision networks compute in: what the config asks for on a GPU, ``fp32`` on a CPU.

    Raises:
        UserError: the GPU has no bf16.
    """
    import torch

    if device == "cpu" or precision == "fp32":
        return "fp32"
    if not torch.cuda.is_bf16_supported(including_emulation=False):
        name = torch.cuda.get_device_name()
        raise UserError(f"precision: bf16, but this GPU ({name}) has no bf16. Set 'precision: fp32'.")
    return "bf16"


def autocast(device: str, precision: str) -> AbstractContextManager:
    """Return a context in which networks compute in ``precision``; weights and results stay float32."""
    import torch

    return torch.autocast(device, dtype=torch.bfloat16, enabled=precision == "bf16")


def compute_facts(device: str, precision: str | None) -> dict[str, object]:
    """Return what a record says of device and precision, and the GPU's name and most memory held, in MiB.

    Args:
        device: ``cpu`` or ``cuda``.
        precision: ``fp32`` or ``bf16``; None if no network ran, of which nothing is said.
    """
    facts: dict[str, object] = {"device": device} | ({} if precision is None else {"precision": precision})
    if device == "cpu":
        return facts
    import torch

    memory = torch.cuda.max_memory_allocated() >> 20
    return facts | {"gpu": torch.cuda.get_device_name(), "gpu_peak_mib": memory}


def adopt_threads() -> None:
    """Give this process's libraries the threads its job was granted.

    Snakemake tells BLAS and OpenMP in a job's environment. Polars, numba and the tokenizers have names of their own
    for it, and ask for them when they are imported; torch is told by ``torch_device``.
    """
    granted = os.environ.get("OMP_NUM_THREADS", "")
    if granted.isdigit():
        threads = str(usable_threads(int(granted)))
        os.environ |= dict.fromkeys(("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"), threads)


def usable_threads(threads: int) -> int:
    """Clamp granted threads to the CPUs this process may use, at least 1."""
    return max(1, min(threads, len(os.sched_getaffinity(0))))
