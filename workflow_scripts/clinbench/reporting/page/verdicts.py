"""The claims section: one line a claim and place, from the ledger's CSV."""

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from clinbench.reporting.cells import UNDEFINED, count, interval, number
from clinbench.reporting.claims import repeats

VERDICTS = ("replicated", "contradicted", "inconclusive", "not testable here")
NUMBERS = ("difference", "low", "high", "p_holm", "published_first", "published_second")


@dataclass(frozen=True)
class Verdict:
    """One claim at one place, as texts; ``key`` is its difference as a number, or None."""

    claim: str
    sentence: str
    paper: str
    verdict: str
    published: str
    difference: str
    key: float | None
    interval: str
    p: str
    p_key: float | None
    n: str
    seeds: str
    data: str
    why: str


def read_verdicts(ledger: Path) -> list[Verdict]:
    """Read the ledger, the columns ``claim``, ``sentence``, ``paper``, ``verdict``, ``difference``, ``low``, ``high``,
    ``p_holm``, ``n``, ``seeds``, ``training_draws``, ``dataset``, ``model``, ``setting``, ``why`` and the published
    values of both rows.
    """
    with open(ledger, newline="", encoding="utf-8") as handle:
        return [_verdict(row) for row in csv.DictReader(handle)]


def tally(verdicts: list[Verdict]) -> dict[str, int]:
    """Count the verdicts, the decided ones first."""
    counts = Counter(one.verdict for one in verdicts)
    return {verdict: counts[verdict] for verdict in dict.fromkeys((*VERDICTS, *counts))}


def _verdict(row: dict[str, str]) -> Verdict:
    of = {key: float(row[key]) if row.get(key) else None for key in NUMBERS}
    published = (of["published_first"], of["published_second"])
    small = of["p_holm"] is not None and of["p_holm"] < 0.001
    return Verdict(
        claim=row["claim"],
        sentence=row["sentence"],
        paper=row["paper"],
        verdict=row["verdict"],
        published=" / ".join(map(number, published)) if any(published) else UNDEFINED,
        difference=number(of["difference"]),
        key=of["difference"],
        interval=interval(of["low"], of["high"]) or UNDEFINED,
        p="< .001" if small else number(of["p_holm"]),
        p_key=of["p_holm"],
        n=_count(row["n"]),
        seeds=repeats(row),
        data=", ".join(filter(None, (row["dataset"], row["model"]))) or UNDEFINED,
        why="; ".join(filter(None, (row["why"], row["setting"]))),
    )


def _count(text: str) -> str:
    return count(float(text)) if text.replace(".", "", 1).isdigit() else text or UNDEFINED
