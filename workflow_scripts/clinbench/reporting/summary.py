"""The text at the end of a run: where the tables and figures are, and their main numbers."""

import csv
import textwrap
from collections.abc import Sequence
from pathlib import Path

from clinbench.errors import UserError
from clinbench.governance import HIDDEN
from clinbench.reporting.admission import COLUMNS, plugin_facts
from clinbench.reporting.cells import cell, count
from clinbench.reporting.claims import CLAIMS
from clinbench.reporting.data_tables import COHORT_STATISTICS, STAY_LENGTHS
from clinbench.reporting.differences import DIFFERENCES
from clinbench.reporting.layouts import Layout
from clinbench.reporting.leak_table import SELECTION_LEAK
from clinbench.reporting.learning_table import LEARNING_CURVES
from clinbench.reporting.names import METRICS, place, shown_level, shown_model
from clinbench.reporting.run_tables import RUNNING_TIME, SELECTED_SETTINGS
from clinbench.reporting.studies import layout_of
from clinbench.reporting.wide import line_name

WIDTH = 100  # columns of a terminal
LABEL = 12  # least room for the name of a row
# Tables without metrics are told by their paths only.
PLAIN = {
    kind.keys
    for kind in (CLAIMS, COHORT_STATISTICS, STAY_LENGTHS, SELECTED_SETTINGS, RUNNING_TIME, DIFFERENCES)
} | {kind.keys for kind in (SELECTION_LEAK, LEARNING_CURVES)}
SUFFIXES = (".tex", ".md", ".csv", ".pdf", ".png")


def summary(tables: Sequence[Path], figures: Sequence[Path]) -> str:
    """Lay out the paths and main numbers of a run for a terminal of 100 columns.

    Args:
        tables: files of the tables; those that differ by suffix only are one table. The CSV beside them is
            read, whether it is among them or not.
        figures: files of the figures.

    Raises:
        UserError: a CSV is not one of ours.
    """
    lines, told, printed = [], False, set()
    for stem, suffixes in _by_stem(tables).items():
        path = Path(f"{stem}.csv")
        numbers = _numbers(_read(path), printed) if path.exists() else []
        lines += ["", *_paths("Table", stem, suffixes), *numbers]
        told = told or bool(numbers)
    if told:
        lines += ["", "Values with their 95 % intervals; all metrics and their captions are in the files."]
    for stem, suffixes in _by_stem(figures).items():
        lines += ["", *_paths("Figure", stem, suffixes)]
    return "\n".join(lines[1:] or ["No tables and no figures were asked for."]) + "\n"


def _by_stem(paths: Sequence[Path]) -> dict[str, list[str]]:
    """Join paths that differ by suffix only, and those of ours that lie beside them."""
    found: dict[str, list[str]] = {}
    for path in map(Path, paths):
        found.setdefault(str(path.with_suffix("")), []).append(path.suffix)
    for stem, suffixes in found.items():
        beside = (suffix for suffix in SUFFIXES if suffix not in suffixes)
        suffixes += [suffix for suffix in beside if Path(stem + suffix).exists()]
    return found


def _paths(kind: str, stem: str, suffixes: list[str]) -> list[str]:
    """Write one path, the other suffixes beside it, and what was not written."""
    missing = [suffix for suffix in suffixes if not Path(stem + suffix).exists()]
    others = f" (also {', '.join(suffixes[1:])})" if suffixes[1:] else ""
    told = f" – NOT WRITTEN: {', '.join(missing)}" if missing else ""
    return [f"{kind:<7} {stem}{suffixes[0]}{others}{told}"]


def _numbers(rows: list[dict], printed: set[tuple]) -> list[str]:
    """Write the main columns of a table, one block a data set; one of ``printed`` is not written again."""
    lines: list[str] = []
    groups: dict[tuple, dict[str, dict[tuple[str, str], dict]]] = {}
    layout = layout_of(rows) if rows else None
    for row in rows:
        if layout.shows(row):
            key = tuple(row[name] for name in layout.block)
            line = groups.setdefault(key, {}).setdefault(line_name(row, layout), {})
            line[row["metric"], row["level"]] = row
    for key, block in groups.items():
        if key in printed:
            continue
        printed.add(key)
        first = next(iter(next(iter(block.values())).values()))
        named = sorted(block.items(), key=lambda item: _place(item[1]))
        body = [[name, *(_text(line.get(key)) for key in layout.main)] for name, line in named]
        heads = [f"{METRICS[metric]} {_level(level)}".strip() for metric, level in layout.main]
        lines += ["", *_title(first, layout), *_aligned([layout.corner, *heads], body)]
    return lines


def _title(row: dict, layout: Layout) -> list[str]:
    """Name the data set of a block, with its model and size."""
    facts = plugin_facts(row["dataset"])
    label = " – SYNTHETIC data" if facts.get("synthetic") else ""
    model = f", {shown_model(row['model'])}" if "model" in layout.block and row["model"] else ""
    text = f"{facts['title']}{label}{model}, n = {count(row['n'])} {layout.unit}"
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  ")


def _aligned(heads: list[str], body: list[list[str]]) -> list[str]:
    """Align columns; names are cut, and then columns dropped, where the terminal is too narrow."""
    widths = [max(len(text) for text in column) for column in zip(heads, *body, strict=True)]
    while len(widths) > 2 and WIDTH - 4 - sum(width + 2 for width in widths[1:]) < min(LABEL, widths[0]):
        widths.pop()
    widths[0] = min(widths[0], WIDTH - 4 - sum(width + 2 for width in widths[1:]))
    lines = []
    for row in [heads, *body]:
        name = row[0] if len(row[0]) <= widths[0] else row[0][: widths[0] - 1] + "…"
        cells = [f"{text:<{width}}" for text, width in zip(row[1:], widths[1:], strict=False)]
        lines.append("  ".join(["  " + f"{name:<{widths[0]}}", *cells]).rstrip())
    return lines


def _text(row: dict | None) -> str:
    if row is None:
        return ""
    texts = cell(row)
    return f"{texts.value} {texts.interval}".strip()


def _level(level: str) -> str:
    """Name a level as the configuration does, a share of positives in per cent."""
    return shown_level(level) if level[:1].isdigit() else level


def _place(line: dict[tuple[str, str], dict]) -> int:
    row = next(iter(line.values()))
    return place(row["system"], row["model"])


def _read(path: Path) -> list[dict]:
    """Read a long CSV, numbers as numbers and undefined ones as None; nothing of a table without metrics."""
    with open(path, newline="", encoding="utf-8") as handle:
        reader = csv.DictReader(handle)
        if tuple(reader.fieldnames or ()) in PLAIN:
            return []
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise UserError(f"{path}, line 1: the columns are not those of a table: {', '.join(COLUMNS)}.")
        rows = list(reader)
    for line, row in enumerate(rows, 2):
        try:
            for key in ("value", "std", "ci_low", "ci_high"):
                row[key] = float(row[key]) if row[key] else None
            row["n"] = row["n"] if row["n"] == HIDDEN else int(row["n"])
        except (TypeError, ValueError) as error:
            raise UserError(f"{path}, line {line}: {error}; build the table again.") from error
    return rows
