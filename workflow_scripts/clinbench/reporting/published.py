"""The papers' numbers, for the very data set and model they were published for, and nothing else."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import yaml

from clinbench.errors import refuse
from clinbench.reporting.cells import count
from clinbench.reporting.names import canonical, identity

FILE = Path(__file__).with_name("published.yaml")
# Key of a paper's conditions to how its breach is told.
BREACH = {
    "n": "the published number is of {} test cases, ours of {}",
    "pool": "the published number is taken to rank {} codes, ours ranks {}",
}
# What kind of number a paper prints, in words; an entry that says nothing prints the sample's own.
KINDS = {"sample": "the sample's own value", "bootstrap_mean": "the mean over bootstrap resamples"}


def published(
    track: str,
    task: str,
    dataset: str,
    model: str,
    system: str,
    level: str,
    metric: str,
    value: str = "sample",
) -> float | None:
    """Return the published value, or None where this very cell was not published.

    Args:
        track, task, dataset, model, system, level, metric: as in a long row.
        value: kind of number preferred, where the paper has both: "sample" or "bootstrap_mean".

    Example:
        >>> published("risk", "mortality", "mimic3", "mortality_lstm", "bce_scr", "", "auroc")
        0.858
        >>> published("risk", "mortality", "physionet2012", "mortality_lstm", "bce_scr", "", "auroc")
    """
    paper = _paper(track, task, dataset, model, system, level, metric, value)
    if paper is None:
        return None
    return _number(paper["levels"][level][identity(system, model)[0]][metric])


def printed(entries: Sequence[str], system: str, level: str, metric: str) -> float | None:
    """Return what the first of some entries that has a cell prints there, whatever data we have; else None.

    Raises:
        UserError: there is no such entry.

    Example:
        >>> printed(["scehr_mortality_lstm"], "cbce_scr", "", "auroc")
        0.86
    """
    papers = _papers()
    refuse((f"'{name}'." for name in entries if name not in papers), f"{FILE.name} has no such entry:")
    found = (papers[name]["levels"].get(level, {}).get(system, {}).get(metric) for name in entries)
    return _number(next((value for value in found if value is not None), None))


def comparable(
    track: str,
    task: str,
    dataset: str,
    model: str,
    system: str,
    level: str,
    metric: str,
    *,
    n: int | None,
    pool: int | None = None,
    subset: str = "all",
    value: str = "sample",
) -> tuple[str, str]:
    """Tell whether our number may be read beside the published one, and why.

    Args:
        track, task, dataset, model, system, level, metric: as in a long row.
        n: size of our test set (stays or mentions).
        pool: number of codes in our pool, for coding.
        subset: of the test set that was scored.
        value: "sample", or "bootstrap_mean" if our number is the mean over resamples.

    Returns:
        ``("", "")`` where nothing is published; ``("yes", caveat)``; or ``("no", reason)``.
    """
    paper = _paper(track, task, dataset, model, system, level, metric, value)
    if paper is None or subset != "all":
        return "", ""
    ours = {"n": n, "pool": pool}
    for key, accepted in paper["conditions"].items():
        if ours[key] not in accepted:
            here = "an unknown number" if ours[key] is None else count(ours[key])
            return "no", BREACH[key].format(f"{accepted[0]:,}", here)
    if (theirs := paper.get("value", "sample")) != value:
        return "no", f"the published number is {KINDS[theirs]}, ours {KINDS[value]}"
    return "yes", paper["caveat"]


def with_published(row: dict, pool: int | None = None, kind: str = "sample") -> tuple[dict, str]:
    """Fill ``published`` and ``comparable`` of a long row.

    What the row already says is kept, but a "yes" never outweighs our "no".

    Returns:
        The row, and the reason or caveat of its mark ("" if there is none).
    """
    cell = [row[key] for key in ("track", "task", "dataset", "model", "system", "level", "metric")]
    mark, reason = comparable(*cell, n=row["n"], pool=pool, subset=row["subset"], value=kind)
    value = row["published"]
    if value is None and mark:
        value = published(*cell, kind)
    if value is None:
        return row | {"published": None, "comparable": ""}, ""
    given = row["comparable"]
    if mark and given in ("", mark):
        return row | {"published": value, "comparable": mark}, reason
    if mark == "no":
        return row | {"published": value, "comparable": "no"}, reason
    told = "" if given == "yes" else "the metrics file marks it so" if given else "its test set is unknown"
    return row | {"published": value, "comparable": given or "no"}, told


def source_of(row: dict, kind: str = "sample") -> str:
    """Name the publication behind a row's published value of a kind, or ""."""
    cell = [row[key] for key in ("track", "task", "dataset", "model", "system", "level", "metric")]
    paper = _paper(*cell, kind)
    return paper["source"] if paper else ""


def _paper(
    track: str, task: str, dataset: str, model: str, system: str, level: str, metric: str, value: str
) -> dict | None:
    """Return the entry that published this cell, best with the kind of number wanted."""
    system, model = identity(system, model)
    for paper in sorted(_papers().values(), key=lambda paper: paper.get("value", "sample") != value):
        models = paper["systems"].get(system, []) if "systems" in paper else paper["models"]
        if (
            track == paper["track"]
            and task == paper.get("task", task)
            and canonical(dataset) in paper["datasets"]
            and model in models
            and metric in paper["levels"].get(level, {}).get(system, {})
        ):
            return paper
    return None


def _number(printed: float | list | None) -> float | None:
    """Return a printed value without its standard deviation."""
    value = printed[0] if isinstance(printed, list) else printed
    return None if value is None else float(value)


@lru_cache(maxsize=1)
def _papers() -> dict[str, dict]:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))
