"""What stays can be grouped by: sex, age and unit, read back from the static features of a cohort.

Every stay is in one group of each attribute; what is not known of it is ``unknown``. An age that a cohort assumed
counts as given.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from clinbench.cohorts.tensors import Cohort

UNKNOWN = "unknown"
SEXES = {"female": "Gender->female", "male": "Gender->male", "other": "Gender->other"}
UNITS = {  # ICUType of PhysioNet 2012
    "coronary care": "ICUType->1",
    "cardiac surgery recovery": "ICUType->2",
    "medical": "ICUType->3",
    "surgical": "ICUType->4",
}


def attributes(
    cohort: Cohort, age_bands: Sequence[int], units: Mapping[str, str] | None = None
) -> dict[str, dict[str, np.ndarray]]:
    """Return the groups of each attribute a cohort has, in order.

    Args:
        cohort: N stays.
        age_bands: years at which the second and each later band begins, ascending.
        units: stay to its unit, where a cohort keeps it apart.

    Returns:
        Attribute (``Sex``, ``Age``, ``Unit``) to group to (N,) bool; the groups of an attribute part the stays.

    Example:
        >>> cohort = Cohort([[0]] * 2, [0, 1, 2], [0, 1], ["a", "b"], ["a", "b"], ["test"] * 2, ["x"],
        ...                 statics=[[1, 0], [0, 1]], static_features=["Gender->female", "Gender->male"])
        >>> {group: chosen.tolist() for group, chosen in attributes(cohort, [65])["Sex"].items()}
        {'female': [True, False], 'male': [False, True], 'other': [False, False], 'unknown': [False, False]}
    """
    found = {
        "Sex": _one_hot(cohort, SEXES),
        "Age": _ages(cohort, age_bands),
        "Unit": _units(cohort, units or {}),
    }
    return {name: groups for name, groups in found.items() if groups}


def _one_hot(cohort: Cohort, columns: dict[str, str]) -> dict[str, np.ndarray]:
    """Return the stays with each column set, and those with none; nothing if no column is there."""
    names = cohort.static_features
    if not any(column in names for column in columns.values()):
        return {}
    nobody = np.zeros(len(cohort), dtype=bool)
    groups = {
        group: cohort.statics[:, names.index(column)] == 1 if column in names else nobody
        for group, column in columns.items()
    }
    return groups | {UNKNOWN: ~np.any(list(groups.values()), axis=0)}


def _units(cohort: Cohort, units: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Return the stays of each unit, by name, of those known apart or else of the static features."""
    if not units:
        return _one_hot(cohort, UNITS)
    found = np.array([units.get(stay, UNKNOWN) for stay in cohort.stays.tolist()])
    return {unit: found == unit for unit in [*sorted({*units.values()}), UNKNOWN]}


def _ages(cohort: Cohort, bands: Sequence[int]) -> dict[str, np.ndarray]:
    """Return the stays of each band of whole years of age; nothing if no age or its scale is known."""
    years = ages(cohort)
    if years is None:
        return {}
    edges = [0, *bands]
    named = [f"under {edges[1]}", *(f"{low}–{high - 1}" for low, high in zip(bands, bands[1:], strict=False))]
    named.append(f"{bands[-1]} or over")
    band = np.searchsorted(bands, years, side="right")
    known = years > 0
    return {name: known & (band == at) for at, name in enumerate(named)} | {UNKNOWN: ~known}


def ages(cohort: Cohort) -> np.ndarray | None:
    """Return (N,) whole years of age, 0 where unknown, taken back from the standardised feature; None if that fails.

    Rounding comes before the cut: a float32 that was standardised comes back a little off.
    """
    scale = _scale(cohort.info)
    if "Age" not in cohort.static_features or scale is None:
        return None
    mean, std = scale
    years = cohort.statics[:, cohort.static_features.index("Age")].astype(np.float64) * std + mean
    return np.floor(years + 1e-4)


def _scale(info: dict) -> tuple[float, float] | None:
    """Return mean and standard deviation of the age in what a cohort says of its normaliser."""
    demographics = info.get("demographics") or {}
    for state in (demographics.get("normaliser"), info.get("normaliser")):
        if state and "Age" in state.get("features", ()):
            at = state["features"].index("Age")
            if state["means"][at] is not None:
                return state["means"][at], state["stds"][at]
    return None
