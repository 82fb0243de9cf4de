"""One card for one job: a lock per card, so that GPU jobs side by side never share one by accident."""

import fcntl
import os
import re
import sys
import tempfile
import time
from pathlib import Path

from clinbench.errors import UserError

VISIBLE = "CUDA_VISIBLE_DEVICES"
HELD = "CLINBENCH_CARD"  # set in a process that holds a card, and in those it starts


def visible_cards() -> list[str]:
    """Return the cards this process may see, as ``CUDA_VISIBLE_DEVICES`` names them; CUDA stays asleep."""
    named = os.environ.get(VISIBLE)
    if named is None:
        import torch

        return [str(card) for card in range(torch.cuda.device_count())]
    return [card.strip() for card in named.split(",") if card.strip() not in ("", "-1")]


def lease_card(folder: str | Path | None = None, poll: float = 1.0) -> str | None:
    """Wait for a free card, show this process it alone, and keep it until the process ends, however it ends.

    Must run before anything wakes CUDA. Inside a SLURM job the cards are those SLURM gave it, which no other job has:
    one card is taken as it is, and a lock only parts jobs inside one allocation of several.

    Args:
        folder: where the locks lie; by default one place for all runs on this machine.
        poll: seconds between two looks at cards that are all taken.

    Returns:
        The card, as ``CUDA_VISIBLE_DEVICES`` now says; None if there is no card to see.
    Raises:
        UserError: a lock cannot be opened.
    """
    if HELD in os.environ:
        return os.environ[HELD]
    cards = visible_cards()
    if not cards:
        return None
    slurm = os.environ.get("SLURM_JOB_ID") if VISIBLE in os.environ else None
    if slurm and len(cards) == 1:
        return cards[0]
    place = Path(folder) if folder else _shared_folder()
    waiting = False
    while True:
        for card in cards:
            if _take(place / _lock_name(card, slurm)):
                os.environ[VISIBLE] = os.environ[HELD] = card
                return card
        if not waiting:
            print(f"Waiting for a card: other jobs hold {', '.join(cards)}.", file=sys.stderr, flush=True)
        waiting = True
        time.sleep(poll)


def _take(path: Path) -> bool:
    """Lock a card if it is free. The file stays open on purpose: the kernel unlocks it when the process ends."""
    try:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            handle = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)
            os.fchmod(handle, 0o644)  # whatever the umask: other users' jobs lock it too
    except OSError as error:
        raise UserError(
            f"Cannot lock a GPU with {path}: {error}. Remove that file if it is stale."
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return False
    return True


def _lock_name(card: str, slurm: str | None) -> str:
    parts = ["clinbench", "gpu", *([slurm] if slurm else []), card]
    return re.sub(r"[^\w.-]", "_", "-".join(parts)) + ".lock"


def _shared_folder() -> Path:
    """Memory, so that nothing outlives a restart; the same for all users, whatever TMPDIR says."""
    memory = Path("/dev/shm")
    return memory if os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
