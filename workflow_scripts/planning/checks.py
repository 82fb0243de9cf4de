"""Checks made before any job, and how their messages reach the terminal."""

import os
from collections.abc import Callable

from snakemake.exceptions import WorkflowError

from clinbench.errors import UserError


def told(check: Callable, *arguments: object) -> object:
    """Run a check and hand a user's mistake to Snakemake, which prints it without a traceback."""
    try:
        return check(*arguments)
    except UserError as error:
        raise WorkflowError(str(error)) from None


def require_writable(folder: str) -> None:
    """Say at once, not after hours, that results cannot be written.

    Raises:
        UserError: the folder, or the nearest one above it that is there, is not a writable folder.
    """
    existing = folder
    while not os.path.lexists(existing):
        existing = os.path.dirname(existing) or "."
    if not os.path.isdir(existing) or not os.access(existing, os.W_OK):
        raise UserError(
            f"Cannot write to {os.path.abspath(folder)}: {existing} is not a writable folder. "
            "Free that name, change its permissions, or run with --directory FOLDER."
        )
