"""What a plan will cost: seconds measured on jobs like its own, or shipped ones, summed by rule."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

COLUMNS = (
    "rule",
    "what",
    "jobs",
    "left",
    "hours",
    "hours_left",
    "core_hours_left",
    "gpu_hours_left",
    "source",
)
HERE, ALIKE, SHIPPED = "measured here", "measured here on other data", "shipped figure"


@dataclass(frozen=True)
class Work:
    """One job, planned or measured.

    Attributes:
        rule: its rule.
        what: what makes its seconds comparable: kind of model, system, or empty.
        name: values of its wildcards, in order; the more are equal, the more alike two jobs are.
        amount: how much of its unit it does: epochs of 1,000 stays for a training, 1 for any other job.
        threads, gpus: that it is granted.
        left: whether it is still to run.
        seconds: that it took, if it was measured.
    """

    rule: str
    what: str
    name: tuple[str, ...]
    amount: float = 1.0
    threads: int = 1
    gpus: int = 0
    left: bool = True
    seconds: float | None = None


def expected(work: Work, measured: Iterable[Work]) -> tuple[float, str]:
    """Return the seconds a job is expected to take, and where they come from.

    The median of those measured jobs of the same rule and ``what`` that share most wildcards, by amount.
    """
    likes = [
        other for other in measured if (other.rule, other.what) == (work.rule, work.what) and other.amount
    ]
    if not likes:
        return work.amount * shipped_rate(work), SHIPPED
    closeness = [len(set(work.name) & set(other.name)) for other in likes]
    best = [other for other, close in zip(likes, closeness, strict=True) if close == max(closeness)]
    rate = statistics.median(other.seconds / other.amount for other in best)
    return work.amount * rate, HERE if set(work.name[:2]) <= set(best[0].name) else ALIKE


def shipped_rate(work: Work) -> float:
    """Return shipped seconds for a unit of a job's amount."""
    table = shipped()
    if work.rule == "train_risk":
        return table["trainings"].get(work.what, max(table["trainings"].values()))
    return table["jobs"].get(work.rule, table["other_jobs"])


@cache
def shipped() -> dict:
    """Read the shipped seconds."""
    return yaml.safe_load(Path(__file__).with_name("measured.yaml").read_text(encoding="utf-8"))


def summed(plan: Iterable[Work], measured: Iterable[Work]) -> list[dict]:
    """Return one row a rule, ``what`` and source (``COLUMNS``), in the order of the plan."""
    measured, rows = list(measured), {}
    for work in plan:
        seconds, source = expected(work, measured)
        hours, left = seconds / 3600, seconds / 3600 * work.left
        row = rows.setdefault(
            (work.rule, work.what, source),
            {"rule": work.rule, "what": work.what, **dict.fromkeys(COLUMNS[2:-1], 0), "source": source},
        )
        row["jobs"] += 1
        row["left"] += work.left
        row["hours"] += hours
        row["hours_left"] += left
        row["core_hours_left"] += left * work.threads
        row["gpu_hours_left"] += left * work.gpus
    return list(rows.values())


def as_csv(rows: list[dict]) -> str:
    """Return the rows as CSV."""
    lines = [",".join(COLUMNS)]
    lines += [
        ",".join(f"{row[c]:.4f}" if isinstance(row[c], float) else str(row[c]) for c in COLUMNS)
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def as_markdown(rows: list[dict], cores: int) -> str:
    """Return the rows as a Markdown table, longest first, with totals and the least wall time."""
    total = {key: sum(row[key] for row in rows) for key in COLUMNS[2:-1]}
    heads = ["job", "jobs", "left", "hours left", "core-hours left", "GPU-hours left", "seconds from"]
    lines = [f"| {' | '.join(heads)} |", "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    for row in sorted(rows, key=lambda row: -row["hours_left"]):
        cells = [" ".join(filter(None, (row["rule"], row["what"]))), row["jobs"], row["left"]]
        cells += [f"{row[key]:.2f}" for key in COLUMNS[5:8]] + [row["source"]]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    least = max(total["core_hours_left"] / cores, total["gpu_hours_left"])
    return "\n".join(
        [
            "# What the configured plan takes: an estimate",
            "",
            f"{total['jobs']} jobs, {total['left']} still to run: {total['core_hours_left']:.1f} core-hours, of which "
            f"jobs that ask for a GPU take {total['gpu_hours_left']:.1f} GPU-hours. On {cores} cores, one GPU job at "
            f"a time, at least {least:.1f} hours. The whole plan from nothing: {total['hours']:.1f} hours one job "
            "after the other.",
            "",
            *lines,
            "",
            f"'{HERE}' and '{ALIKE}' scale the benchmarks of earlier jobs; '{SHIPPED}' those of "
            "clinbench/measured.yaml, of one slow core. A training is scaled by epochs and stays; a faster device "
            "than the one that was measured needs less.",
            "",
        ]
    )
