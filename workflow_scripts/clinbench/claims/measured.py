"""What a run measured of the comparisons of a claim."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from clinbench.claims.ledger import EQUIVALENCE, INTERACTION, Claim, Comparison
from clinbench.reporting.admission import defined
from clinbench.significance import find

Z = float(stats.norm.ppf(0.975))


@dataclass(frozen=True)
class Measured:
    """One comparison.

    Attributes:
        difference: of the first row from the second; of an equivalence, as a share of the second.
        low, high: 95 % interval of it.
        support, against: p values for the claim and for its opposite; one of them is 1.
        n: test stays or mentions; of a timing, training stays.
        seeds: of the row with fewest that has more than one, else 1; None of a timing.
    """

    comparison: Comparison
    difference: float
    low: float
    high: float
    support: float
    against: float
    n: int | str
    seeds: int | None


def measure(claim: Claim, records: Mapping[str, Mapping], track: str) -> list[Measured] | str:
    """Return what was measured of each comparison of a claim, or why one is undefined.

    Args:
        claim: its rows and levels are in the records.
        records: level to the paired statistics made there; "" where there is one record only, also of all
            levels of codes.
        track: "risk" or "coding"; the metrics of codes carry their level.
    """
    found = []
    for comparison in claim.comparisons:
        if claim.kind == EQUIVALENCE:
            ratios = records[""]["ratios"]
            if len(ratios[comparison.first]) < 2:
                return "it was timed in one round only"
            found.append(_timed(comparison, ratios, claim.margin, records[""]["n"]))
            continue
        one = _pair(comparison, comparison.level, records, track)
        other = None
        if claim.kind == INTERACTION:
            other = _pair(comparison, comparison.than, records, track)
        for pair in (one, other or one):
            if isinstance(pair, str):
                return pair
        record = at_level(records, comparison.level)
        found.append(_compared(comparison, one, other, record, claim.sign))
    return found


def at_level(records: Mapping[str, Mapping], level: str) -> Mapping | None:
    """Return the record of a level, or the only one, which is of all levels; None where it was not run."""
    return records.get(level, records.get(""))


def _pair(comparison: Comparison, level: str, records: Mapping[str, Mapping], track: str) -> dict | str:
    """Find the paired difference of two rows, or why it is undefined."""
    metric = f"{level}_{comparison.metric}" if track == "coding" else comparison.metric
    pair = find(at_level(records, level)["pairs"], comparison.first, comparison.second, metric)
    if all(map(defined, (pair["difference"], pair["se"], pair["p"], *(pair["interval"] or [None])))):
        return pair
    return pair["note"] or "the difference is undefined on this test set"


def _compared(
    comparison: Comparison, one: Mapping, other: Mapping | None, record: Mapping, sign: int
) -> Measured:
    """Measure a difference, or one less another at another level.

    The two levels share their test units, but not their trainings: they are taken as independent, which
    overstates the error where what they share makes both differences move together.
    """
    difference, (low, high), p = one["difference"], one["interval"], one["p"]
    if other is not None:
        difference -= other["difference"]
        se = math.hypot(one["se"], other["se"])
        low, high = difference - Z * se, difference + Z * se
        p = float(2 * stats.norm.sf(abs(difference) / se)) if se else float(difference == 0)
    rows = (record["systems"][row] for row in (comparison.first, comparison.second))
    counts = [len(set(row["seeds"])) for row in rows]
    seeds = min((count for count in counts if count > 1), default=1)
    towards = sign * difference
    return Measured(
        comparison,
        difference,
        low,
        high,
        support=p if towards > 0 else 1.0,
        against=p if towards < 0 else 1.0,
        n=record["n"],
        seeds=seeds,
    )


def _timed(
    comparison: Comparison, ratios: Mapping[str, Sequence[float]], margin: float, n: int | str
) -> Measured:
    """Test that two rows take equally long, by two one-sided t tests of the log ratios over rounds (TOST).

    The margin is symmetric in logs: from 1/(1 + margin) to 1 + margin.
    """
    logs = np.log(ratios[comparison.first]) - np.log(ratios[comparison.second])
    edge = math.log1p(margin)
    mean = float(logs.mean())
    error = float(stats.sem(logs))
    reach = float(stats.t.ppf(0.975, len(logs) - 1)) * error
    above, below = (
        float(stats.t.sf(distance / error, len(logs) - 1)) if error else float(distance <= 0)
        for distance in (mean + edge, edge - mean)
    )  # p that the mean is not above the lower edge, and not below the upper one
    outside = min(1.0, 2 * (1 - max(above, below)))
    return Measured(
        comparison,
        math.expm1(mean),
        math.expm1(mean - reach),
        math.expm1(mean + reach),
        support=max(above, below) if abs(mean) < edge else 1.0,
        against=outside if abs(mean) >= edge else 1.0,
        n=n,
        seeds=None,
    )
