"""Where the numbers of a table come from: one line a metrics file, with the command that makes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clinbench.reporting.cells import count
from clinbench.reporting.names import shown_system

SHOWN = 10  # hex digits of a commit or hash


@dataclass(frozen=True)
class Origin:
    """The provenance of one row of a table, as texts."""

    system: str
    dataset: str
    n: str
    n_valid: str
    seeds: str
    selection: str
    commit: str
    device: str
    threads: str
    seconds: str
    command: str


def origins(made_of: list[str], metrics: Mapping[str, Sequence[dict]], command: str) -> list[Origin]:
    """Return the origin of each metrics file a table is made of.

    Args:
        made_of: targets, as the table's record names them.
        metrics: target to the records of its metrics file; others are left out.
        command: how a target is made, with ``{target}`` for it.
    """
    return [
        _origin(record, command.format(target=target))
        for target in made_of
        for record in metrics.get(target, ())
        if record.get("rows") and record.get("provenance")
    ]


def records(content: dict) -> list[dict]:
    """Return the records of a metrics file: one, or one a row of its table."""
    return content.get("records", [content])


def commit_text(record: Mapping) -> str:
    """Word the commit of a record, and whether there were changes."""
    return (record.get("git_commit") or "unknown")[:SHOWN] + " with changes" * bool(record.get("git_dirty"))


def seeds_text(seed: object) -> str:
    """Word a seed or a list of them."""
    listed = seed if isinstance(seed, list) else [seed]
    return ", ".join(str(one) for one in listed if one is not None) or "none"


def _origin(record: dict, command: str) -> Origin:
    row, runs = record["rows"][0], record["provenance"]
    valid = sorted({one["n_valid"] for one in record["rows"] if one["n_valid"] is not None})
    return Origin(
        system=shown_system(row["system"])
        + (f", {row['level']}" if row["track"] == "risk" and row["level"] else ""),
        dataset=row["dataset"],
        n=count(row["n"]),
        n_valid="–".join(map(count, dict.fromkeys((*valid[:1], *valid[-1:])))),
        seeds=seeds_text(sorted({run["seed"] for run in runs if run["seed"] is not None})),
        selection=str(row["selection"]),
        commit=", ".join(dict.fromkeys(map(commit_text, runs))),
        device=", ".join(sorted({str(run["device"]) for run in runs})),
        threads=", ".join(sorted({str(run["threads"]) for run in runs})),
        seconds=f"{sum(run['wall_seconds'] for run in runs):,.0f}",
        command=command,
    )
