"""The one place for seeds, devices and threads."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


def gpus_per_job(device: str) -> int:
    """Return how many GPUs a GPU rule asks for: 0 or 1, from the config key ``device``."""
    return int(device == "cuda" or (device == "auto" and cuda_present()))


def torch_device(gpus: int, threads: int) -> str:
    """Set torch's threads and determinism, and return ``cuda`` if and only if a GPU was granted.

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
    if not torch.cuda.is_available():
        raise UserError(
            "A GPU was granted but CUDA is not available in this Python environment. "
            "Set 'device: cpu' in the configuration, or install a CUDA build of torch."
        )
    return "cuda"


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
