"""A reference normaliser's state, which is published as a pickle: read without running any of its code.

Source: specification risk.md §1.6: a dictionary of ``means`` and ``stds``, one float64 a feature (76).

Nothing of numpy can be called from the pickle: what it calls by numpy's names are the objects below, which have
no attributes to set and take the one kind of array a state has.
"""

import io
import pickle
from pathlib import Path

import numpy as np

from clinbench.cohorts.channels import FEATURES
from clinbench.errors import UserError

LARGEST = 32_768  # bytes; a state has a few thousand


def _require(fine: bool, what: str) -> None:
    if not fine:
        raise pickle.UnpicklingError(f"it holds {what}")


class _Float64:
    """An object of ``numpy.dtype``: little-endian float64 and nothing else."""

    __slots__ = ()

    def __setstate__(self, state: object) -> None:
        _require(state == (3, "<", None, None, None, -1, -1, 0), "numbers that are not plain float64")


class _Dtype:
    """Stands for ``numpy.dtype``."""

    __slots__ = ()

    def __call__(self, name: object, *more: object) -> _Float64:
        _require(name in ("f8", "<f8"), "numbers that are not float64")
        return _Float64()


class _Vector:
    """An object of ``numpy.ndarray``: shape (n,), float64, exactly 8n bytes."""

    __slots__ = ("numbers",)

    def __setstate__(self, state: object) -> None:
        _require(type(state) is tuple and len(state) == 5, "an unknown kind of array")
        _, shape, kind, _, content = state
        content = content.encode("latin1") if type(content) is str else content
        _require(type(kind) is _Float64 and type(content) is bytes, "an array of other things than float64")
        _require(type(shape) is tuple and len(shape) == 1, "an array that is not a vector")
        _require(
            type(shape[0]) is int and len(content) == 8 * shape[0], "an array of another length than told"
        )
        self.numbers = np.frombuffer(content, dtype="<f8")


class _Ndarray:
    """Stands for ``numpy.ndarray``, which is only ever an argument."""

    __slots__ = ()


class _Reconstruct:
    """Stands for ``_reconstruct``: makes an array that is still to be given its state."""

    __slots__ = ()

    def __call__(self, kind: object, *more: object) -> _Vector:
        _require(type(kind) is _Ndarray, "an array of another class")
        return _Vector()


class _Encode:
    """Stands for ``_codecs.encode``, by which Python 3 writes bytes in protocol 2."""

    __slots__ = ()

    def __call__(self, text: object, encoding: object) -> bytes:
        _require(type(text) is str and encoding in ("latin1", "latin-1"), "text of another encoding")
        return text.encode("latin1")


ALLOWED = {
    ("numpy", "ndarray"): _Ndarray,
    ("numpy", "dtype"): _Dtype,
    ("numpy.core.multiarray", "_reconstruct"): _Reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _Reconstruct,
    ("_codecs", "encode"): _Encode,
}


class _Plain(pickle._Unpickler):  # the one in Python: no opcode reserves memory by a number in the file
    """Admits plain containers, numbers, text and float64 vectors; every other name is refused."""

    def find_class(self, module: str, name: str) -> object:
        if (module, name) in ALLOWED:
            return ALLOWED[module, name]()
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is neither data nor an array")


def _vectors(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return ``means`` and ``stds``, each (n,) float64."""
    with open(path, "rb") as handle:
        content = handle.read(LARGEST + 1)
    _require(len(content) <= LARGEST, f"more than {LARGEST:,} bytes")
    state = _Plain(io.BytesIO(content), encoding="latin1").load()
    _require(type(state) is dict, "no dictionary")
    means, stds = state["means"], state["stds"]
    _require(type(means) is _Vector and type(stds) is _Vector, "something else than two arrays")
    return means.numbers, stds.numbers


def read_state(path: Path, chosen: list[str]) -> dict:
    """Return a pickled state as the plain one of ``clinbench.cohorts.normaliser.fit``.

    Args:
        path: file of the reference, such as ``ihm_ts1.0.input_str-previous.start_time-zero.normalizer``.
        chosen: names of the features to standardise.

    Raises:
        UserError: the file is missing, is no such state, or holds anything but data.
    """
    try:
        means, stds = _vectors(path)
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
