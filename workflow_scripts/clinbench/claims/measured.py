"""What a run measured of the comparisons of a claim."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from clinbench.claims.ledger import EQUIVALENCE, INTERACTION, Claim, Comparison
from clinbench.reporting.admission import defined
from clinbench.reporting.names import shown_system
from clinbench.significance import find

VALID = 0.95  # share of the resamples below which an interval says too little (field.md 6)


@dataclass(frozen=True)
class Measured:
    """One comparison.

    Attributes:
        difference: of the first row from the second; of an equivalence, as a share of the second.
        low, high: 95 % interval of it.
        support, against: p values for the claim and for its opposite; one of them is 1.
        n: test stays or mentions; of a timing, training stays.
        seeds: of the row with fewest that has more than one, else 1; None of a timing.
        training_draws: of the training stays, which are what is repeated then; 0 where there are none.
        valid: share of the resamples and swaps in which both rows are defined; None of a timing.
    """

    comparison: Comparison
    difference: float
    low: float
    high: float
    support: float
    against: float
    n: int | str
    seeds: int | None
    training_draws: int = 0
    valid: float | None = None


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
        levels = (comparison.level, *([comparison.than] if other else []))
        at = [at_level(records, level) for level in levels]
        found.append(_compared(comparison, [one, *([other] if other else [])], at, claim.sign))
    return found


def at_level(records: Mapping[str, Mapping], level: str) -> Mapping | None:
    """Return the record of a level, or the only one, which is of all levels; None where it was not run."""
    return records.get(level, records.get(""))


def _pair(comparison: Comparison, level: str, records: Mapping[str, Mapping], track: str) -> dict | str:
    """Find the paired difference of two rows, or why it is undefined, or defined in too few resamples."""
    metric = f"{level}_{comparison.metric}" if track == "coding" else comparison.metric
    record = at_level(records, level)
    pair = find(record["pairs"], comparison.first, comparison.second, metric)
    if not all(map(defined, (pair["difference"], pair["se"], pair["p"], *(pair["interval"] or [None])))):
        return pair["note"] or "the difference is undefined on this test set"
    if _valid(pair, record) < VALID:
        least, both = min(pair["n_valid"], pair["n_swaps"]), (comparison.first, comparison.second)
        named = " and ".join(map(shown_system, both))
        return (
            f"{named} are both defined in {least:,} of {record['draws']:,} resamples only, "
            f"fewer than {100 * VALID:g} %"
        )
    return pair


def _valid(pair: Mapping, record: Mapping) -> float:
    return min(pair["n_valid"], pair["n_swaps"]) / record["draws"]


def _compared(
    comparison: Comparison, pairs: Sequence[Mapping], records: Sequence[Mapping], sign: int
) -> Measured:
    """Measure a difference, or one less another at another level; ``pairs`` and ``records`` are of one or two."""
    if len(pairs) == 1:
        difference, (low, high), p = (pairs[0][key] for key in ("difference", "interval", "p"))
    else:
        difference, low, high, p = _less(*pairs)
    rows = (comparison.first, comparison.second)
    counts = [len(set(record["systems"][row]["seeds"])) for record in records for row in rows]
    draws = [record["training_draws"] for record in records if record["training_draws"]]
    towards = sign * difference
    return Measured(
        comparison,
        difference,
        low,
        high,
        support=p if towards > 0 else 1.0,
        against=p if towards < 0 else 1.0,
        n=records[0]["n"],
        seeds=min((count for count in counts if count > 1), default=1),
        training_draws=min(draws, default=0),
        valid=min(map(_valid, pairs, records)),
    )


def _less(one: Mapping, other: Mapping) -> tuple[float, float, float, float]:
    """Return a difference of differences at two levels, its 95 % interval and p value.

    A t test with the degrees of freedom of Welch (1947) and Satterthwaite (1946): the spread over a few seeds or draws
    is known no better here than at each level; that over the units counts as known. The two levels share their test
    units, but not their trainings: they are taken as independent, which overstates the error where what they share
    makes both differences move together.
    """
    difference = one["difference"] - other["difference"]
    se = math.hypot(one["se"], other["se"])
    uncertain = sum(pair["se_seeds"] ** 4 / pair["df"] for pair in (one, other) if pair["se_seeds"])
    df = se**4 / uncertain if uncertain else math.inf
    reach = float(stats.t.ppf(0.975, df)) * se
    p = float(2 * stats.t.sf(abs(difference) / se, df)) if se else 1.0  # no spread is no evidence
    return difference, difference - reach, difference + reach, p


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
