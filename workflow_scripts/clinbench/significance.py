"""What is read from the pairs of a paired.json: one comparison, or which rows are as good as the best."""

from collections.abc import Iterable, Mapping, Sequence

from clinbench.errors import UserError

ALPHA = 0.05  # a corrected p below it is a difference


def holm(p: Iterable[float | None]) -> list[float | None]:
    """Correct p values of one family for their number (Holm 1979); None stays and counts for nothing.

    Example:
        >>> holm([0.01, None, 0.04, 0.03])
        [0.03, None, 0.06, 0.06]
    """
    given = list(p)
    order = sorted((value, at) for at, value in enumerate(given) if value is not None)
    found, largest = list(given), 0.0
    for rank, (value, at) in enumerate(order):
        largest = max(largest, min(1.0, value * (len(order) - rank)))
        found[at] = largest
    return found


def find(pairs: Iterable[dict], first: str, second: str, metric: str) -> dict:
    """Return the comparison of two rows, turned round if it was made the other way.

    Raises:
        UserError: it was not made.
    """
    for pair in pairs:
        if pair["metric"] == metric and {pair["first"], pair["second"]} == {first, second}:
            return pair if pair["first"] == first else turned(pair)
    raise UserError(f"{first} and {second} were not compared in {metric}; make their paired.json again.")


def turned(pair: dict) -> dict:
    """Return a comparison with its rows exchanged."""
    difference, interval = pair["difference"], pair["interval"]
    return pair | {
        "first": pair["second"],
        "second": pair["first"],
        "difference": difference and -difference,
        "interval": interval and [-end for end in reversed(interval)],
    }


def best_rows(values: Mapping[str, float], pairs: Sequence[dict], metric: str) -> set[str]:
    """Return the row of the highest value, and all whose difference from it is not significant.

    P values of the comparisons with the best row are Holm's. A row that was not compared, or cannot be, is not
    among them.

    Args:
        values: of the rows, all defined, higher is better.
        pairs: comparisons of these rows, maybe with others.
        metric: whose.

    Returns:
        Nothing where no row was compared with the best one.
    """
    if not values:
        return set()
    best = max(values, key=values.__getitem__)
    found = {}
    for pair in pairs:
        ends = {pair["first"], pair["second"]}
        if pair["metric"] == metric and best in ends and (other := min(ends - {best})) in values:
            found[other] = pair["p"]
    corrected = dict(zip(found, holm(found.values()), strict=True))
    if all(p is None for p in corrected.values()):
        return set()
    return {best, *(name for name, p in corrected.items() if p is not None and p >= ALPHA)}
