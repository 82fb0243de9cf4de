"""Checks made before any job, and how their messages reach the terminal."""

import os
from collections.abc import Callable

from snakemake.exceptions import WorkflowError

from clinbench.errors import UserError

PARTS = ("benchmarks", "figures", "logs", "metrics", "open", "private", "tables")


def told(check: Callable, *arguments: object) -> object:
    """Run a check and hand a user's mistake to Snakemake, which prints it without a traceback."""
    try:
        return check(*arguments)
    except UserError as error:
        raise WorkflowError(str(error)) from None


def require_writable(folder: str) -> None:
    """Say at once, not after hours, that results cannot be written.

    Raises:
        UserError: the folder, its parts, or the nearest one above it that is there, cannot be written.
    """
    existing = folder
    while not os.path.lexists(existing):
        existing = os.path.dirname(existing) or "."
    below = [os.path.join(folder, name) for name in PARTS if existing == folder]
    for place in [existing, *filter(os.path.lexists, below)]:
        if not os.path.isdir(place) or not os.access(place, os.W_OK):
            raise UserError(
                f"Cannot write to {os.path.abspath(folder)}: {place} is not a writable folder. "
                "Free that name, change its permissions, or run with --directory FOLDER."
            )
