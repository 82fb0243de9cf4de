"""Summary statistics of each stay, for models that read one row a stay."""

import numpy as np

from clinbench.cohorts.tensors import Cohort

MASK = "mask->"  # mask of a channel: 1 in hours in which it was observed
PARTS = ("stay", "first quarter", "last quarter")
STATISTICS = ("last", "mean", "min", "max", "std", "slope")
EDGE = 0.25  # share of a stay's hours, rounded up, in its first and last part


def summarise(cohort: Cohort) -> tuple[np.ndarray, list[str]]:
    """Describe each stay by statistics of its features over the whole stay and its first and last quarter.

    A feature with a mask (``mask->HR`` of ``HR``, ``mask->GCS`` of ``GCS->4``) is described by its observed
    hours only, and NaN without any; the mask itself gives their count. A feature that never changes within
    a stay gives its value once. The statics and the length of the stay follow.

    Returns:
        (N, K) float32 with NaN where undefined (a slope per hour needs two observed hours; std divides by
        their number), and the K column names, such as ``HR: mean of last quarter``.
    """
    names = {name: column for column, name in enumerate(cohort.features)}
    spans = _spans(cohort.offsets)
    columns: dict[str, np.ndarray] = {}
    for name, column in names.items():
        values = cohort.values[:, column].astype(np.float64)
        if name.startswith(MASK):
            counts = _sums(values, spans)
            columns |= {f"{name}: count of {part}": count for part, count in zip(PARTS, counts, strict=True)}
        elif _constant(values, cohort.offsets):
            columns[name] = values[cohort.offsets[:-1]]
        else:
            mask = names.get(MASK + name, names.get(MASK + name.split("->")[0]))
            observed = None if mask is None else cohort.values[:, mask] > 0
            columns |= _described(name, values, observed, cohort.offsets, spans)
    columns |= dict(zip(cohort.static_features, cohort.statics.T, strict=True))
    columns["hours"] = cohort.lengths
    return np.stack([*columns.values()], axis=1).astype(np.float32), [*columns]


def _spans(offsets: np.ndarray) -> np.ndarray:
    """Return start and end (3, N, 2) of each part of each stay."""
    start, end = offsets[:-1], offsets[1:]
    edge = np.ceil(EDGE * (end - start)).astype(np.int64)
    return np.stack([[start, end], [start, start + edge], [end - edge, end]]).swapaxes(1, 2)


def _reduced(ufunc: np.ufunc, values: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """Reduce ``values[start:end]`` of each span (P, N, 2); an empty one gives whatever stands there."""
    padded = np.append(values, 0.0)  # so that an empty span at the end has an index
    # Of the pieces between all starts and ends, every second one is a span.
    return ufunc.reduceat(padded, spans.ravel())[::2].reshape(spans.shape[:2])


def _sums(values: np.ndarray, spans: np.ndarray) -> np.ndarray:
    return np.where(spans[..., 0] < spans[..., 1], _reduced(np.add, values, spans), 0.0)


def _constant(values: np.ndarray, offsets: np.ndarray) -> bool:
    """Tell whether a feature keeps its first value within every stay."""
    return bool((values == np.repeat(values[offsets[:-1]], np.diff(offsets))).all())


def _described(
    name: str, values: np.ndarray, observed: np.ndarray | None, offsets: np.ndarray, spans: np.ndarray
) -> dict[str, np.ndarray]:
    """Return every statistic of every part of one feature, values (ΣT,), each (N,)."""
    hours = np.arange(len(values)) - np.repeat(offsets[:-1], np.diff(offsets))
    if observed is not None:  # keep the observed hours, and move the spans to where they are now
        values, hours = values[observed], hours[observed]
        spans = np.append(0, np.cumsum(observed))[spans]
    count = np.diff(spans)[..., 0].astype(np.float64)  # (3, N)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, middle = _sums(values, spans) / count, _sums(hours, spans) / count
        variance = _sums(values**2, spans) / count - mean**2
        spread = _sums(hours**2.0, spans) / count - middle**2
        covariance = _sums(values * hours, spans) / count - mean * middle
        slope = np.where(count > 1, covariance / spread, np.nan)
    last = np.append(values, 0.0)[np.maximum(spans[..., 1] - 1, 0)]
    found = {
        "last": last,
        "mean": mean,
        "min": _reduced(np.minimum, values, spans),
        "max": _reduced(np.maximum, values, spans),
        "std": np.sqrt(np.maximum(variance, 0)),
        "slope": slope,
    }
    return {
        f"{name}: {statistic} of {part}": np.where(count[row] > 0, found[statistic][row], np.nan)
        for row, part in enumerate(PARTS)
        for statistic in STATISTICS
    }
