"""Fingerprints of the coding track's frames: counts and a hash, no text and no id."""

import hashlib

import polars as pl


def fingerprint(frame: pl.DataFrame) -> dict:
    """Return ``rows``, the number of distinct ``codes`` (and ``docs``), and the SHA-256 of the content."""
    digest = hashlib.sha256()
    for row in frame.iter_rows():
        digest.update("\t".join(row).encode() + b"\n")
    counts = {f"{name}s": frame[name].n_unique() for name in ("code", "doc") if name in frame.columns}
    return {"rows": frame.height, **counts, "sha256": digest.hexdigest()}
