"""What a shared output may say of private inputs.

A module of its own: code digests follow it, so that a stricter rule makes shared outputs again.
"""

from pathlib import Path

from clinbench.governance import hide


def shared(snakemake, value: object, *paths: str) -> object:
    """Return a value as the rule's output may hold it: of private inputs, ``paths`` or all, nothing of small cells."""
    inner = any(_private(path) for path in paths or snakemake.input)
    return hide(value) if inner and not _private(snakemake.output[0]) else value


def _private(path: str) -> bool:
    return Path(path).parts[:2] == ("results", "private")
