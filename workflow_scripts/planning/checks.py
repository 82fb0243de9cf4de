"""Checks made before any job, and how their messages reach the terminal."""

import os
from collections.abc import Callable
from pathlib import Path

from snakemake.exceptions import WorkflowError

from clinbench import plugins
from clinbench.errors import UserError, refuse

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


def require_apart(config: dict) -> None:
    """Refuse a folder for row-level files where these could be committed, exported or shared by mistake.

    Raises:
        UserError: an option that a selected cohort declares in ``PRIVATE_FOLDERS`` names a place inside the working
            directory or the repository, and not below results/private.
    """
    here, repository = Path.cwd().resolve(), Path(__file__).resolve().parents[2]
    private = here / "results" / "private"
    found = []
    for cohort in config["risk"]["cohorts"]:
        for option in plugins.declared("cohorts", cohort, "PRIVATE_FOLDERS", []):
            if given := config["risk"].get(cohort, {}).get(option):
                place = Path(given).resolve()
                inside = any(place == one or one in place.parents for one in (here, repository))
                if inside and private not in place.parents:
                    found.append(f"risk.{cohort}.{option}: {given}")
    refuse(
        found,
        "Row-level files must not lie beside code and results. Name a folder outside the working directory and the "
        "repository, or one below results/private:",
    )
