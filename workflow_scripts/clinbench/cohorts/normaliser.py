"""Standardisation fitted on training hours only; its state is plain JSON, never a pickle."""

import numpy as np

from clinbench.errors import UserError

FLOOR = 1e-7


def fit(values: np.ndarray, features: list[str], chosen: list[str]) -> dict:
    """Measure mean and sample standard deviation (n − 1, at least 1e-7) of some features.

    Statistics are over imputed hourly bins, as in the benchmark (specification risk.md §1.6), so long
    stays weigh more.

    Args:
        values: (n, F) training hours.
        features: F names.
        chosen: names of the features to standardise.

    Returns:
        State with ``features`` (K names), ``means``, ``stds`` (K floats each) and ``hours`` (n).

    Raises:
        UserError: fewer than two hours.
    """
    if len(values) < 2:
        raise UserError(
            f"The normaliser needs at least two training hours, there are {len(values)}. "
            "Put stays into the training split."
        )
    columns = [values[:, features.index(name)].astype(np.float64) for name in chosen]
    return {
        "features": list(chosen),
        "means": [float(column.mean()) for column in columns],
        "stds": [float(max(column.std(ddof=1), FLOOR)) for column in columns],
        "hours": len(values),
    }


def apply(values: np.ndarray, features: list[str], state: dict) -> np.ndarray:
    """Return a copy of ``values`` (n, F) float32 with the state's features standardised.

    Raises:
        UserError: the state names a feature these values do not have.
    """
    missing = [name for name in state["features"] if name not in features]
    if missing:
        raise UserError(f"The normaliser's state has features these data lack: {', '.join(missing)}.")
    out = values.astype(np.float32)
    for name, mean, std in zip(state["features"], state["means"], state["stds"], strict=True):
        column = features.index(name)
        out[:, column] = (values[:, column].astype(np.float64) - mean) / std
    return out
