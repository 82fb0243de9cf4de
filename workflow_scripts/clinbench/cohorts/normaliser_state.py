"""A reference normaliser's state, which is published as a pickle: read without running any of its code.

Source: specification risk.md §1.6: a dictionary of ``means`` and ``stds``, one float64 a feature (76).
"""

import pickle
from pathlib import Path

import numpy as np
from numpy._core.multiarray import _reconstruct

from clinbench.cohorts.channels import FEATURES
from clinbench.errors import UserError


def _latin1(text: str, encoding: str) -> bytes:
    """Stand in for ``_codecs.encode``, by which Python 3 writes bytes in protocol 2."""
    if encoding not in ("latin1", "latin-1"):
        raise pickle.UnpicklingError(f"encoding {encoding}")
    return text.encode("latin1")


ALLOWED = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
    ("_codecs", "encode"): _latin1,
}


class _Plain(pickle.Unpickler):
    """Admits plain containers, numbers, text and numpy arrays; every other name is refused."""

    def find_class(self, module: str, name: str) -> object:
        if (module, name) in ALLOWED:
            return ALLOWED[module, name]
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is neither data nor an array")


def read_state(path: Path, chosen: list[str]) -> dict:
    """Return a pickled state as the plain one of ``clinbench.cohorts.normaliser.fit``.

    Args:
        path: file of the reference, such as ``ihm_ts1.0.input_str-previous.start_time-zero.normalizer``.
        chosen: names of the features to standardise.

    Raises:
        UserError: the file is missing, is no such state, or holds anything but data.
    """
    try:
        with open(path, "rb") as handle:
            state = _Plain(handle, encoding="latin1").load()
        means, stds = (np.asarray(state[name], dtype=np.float64) for name in ("means", "stds"))
    except Exception as error:  # a damaged pickle may raise anything
        raise UserError(
            f"{path}: not a normaliser's state that can be read safely ({error}). It must be a pickled dictionary "
            "of 'means' and 'stds', one number for each of the 76 features; null fits one instead."
        ) from error
    if means.shape != (len(FEATURES),) or stds.shape != means.shape:
        raise UserError(
            f"{path}: {means.shape} means and {stds.shape} stds, {len(FEATURES)} each were expected."
        )
    columns = [FEATURES.index(name) for name in chosen]
    if not (
        np.isfinite(means[columns]).all() and (stds[columns] > 0).all() and np.isfinite(stds[columns]).all()
    ):
        raise UserError(f"{path}: a mean is not finite, or a standard deviation not above 0.")
    return {
        "features": list(chosen),
        "means": means[columns].tolist(),
        "stds": stds[columns].tolist(),
        "hours": None,
        "file": path.name,
    }
