"""From long rows to what is printed: blocks of lines of cells, and footnotes."""

from dataclasses import dataclass, field

from clinbench.errors import refuse
from clinbench.reporting.admission import Admitted
from clinbench.reporting.cells import NOT_EVALUATED, UNDEFINED, Cell, cell, number
from clinbench.reporting.layouts import Layout
from clinbench.reporting.names import LEVELS, place, shown_model, shown_row, shown_system


@dataclass(frozen=True)
class Line:
    """One printed line; ``kind`` is numbers, published or absent; ``mark`` belongs to the label."""

    label: str
    cells: list[Cell]
    kind: str = "numbers"
    mark: str = ""


@dataclass(frozen=True)
class Block:
    """The lines of one data set (and model), with the heading over them."""

    title: str
    synthetic: bool
    detail: str
    lines: list[Line] = field(default_factory=list)


Notes = dict[str, str]


def mark(notes: Notes, text: str) -> str:
    """Return the letter of a footnote, the same one for the same text: a … z, aa …"""
    if text not in notes:
        count = len(notes)
        notes[text] = chr(97 + count % 26) * (1 + count // 26)
    return notes[text]


def arrange(taken: Admitted, reasons: list[str], layout: Layout) -> tuple[list[Block], Notes]:
    """Sort the rows into blocks, lines and columns.

    Args:
        taken: rows with their ``published`` and ``comparable`` filled.
        reasons: beside each row, why its published number is not comparable.
        layout: of the table.

    Raises:
        UserError: two rows claim one cell, or lines of one block were scored on different n.
    """
    groups: dict[tuple, dict[tuple, list[int]]] = {}
    for index, row in enumerate(taken.rows):
        if layout.subset in (None, row["subset"]) and _column_of(row, layout) is not None:
            lines = groups.setdefault(_key(row, layout.block), {})
            lines.setdefault(_key(row, layout.row), []).append(index)
    for item in taken.absent:
        groups.setdefault(_key(item, layout.block), {}).setdefault(_key(item, layout.row), [])
    refuse(_clashes(groups, taken.rows, layout), f"The table '{layout.name}' cannot be laid out:")
    notes: Notes = {}
    blocks = [_block(key, lines, taken, reasons, layout, notes) for key, lines in groups.items()]
    return blocks, notes


def line_name(row: dict, layout: Layout) -> str:
    """Return the display name of the line a row or absent row belongs to."""
    if layout.row == ("system",):
        return shown_system(row["system"])
    if layout.row == ("system", "model"):
        return shown_row(row["system"], row["model"])
    return ", ".join(str(row.get(key, "")) for key in layout.row)


def size_text(n: int | None, facts: dict, unit: str) -> str:
    """Word the size of a test set: ``n = 3,236 stays, 374 positive``."""
    parts = [f"n = {n:,} {unit}"] if n is not None else []
    if facts.get("positives") is not None:
        parts.append(f"{facts['positives']:,} positive")
    if facts.get("pool") is not None:
        parts.append(f"pool of {facts['pool']:,} codes")
    return ", ".join(parts)


def _block(
    key: tuple,
    lines: dict[tuple, list[int]],
    taken: Admitted,
    reasons: list[str],
    layout: Layout,
    notes: Notes,
) -> Block:
    """Make one block: its heading, and for each line the numbers and the published ones below."""
    named = dict(zip(layout.block, key, strict=True))
    facts = taken.datasets[named["dataset"]]
    n = next((taken.rows[index]["n"] for found in lines.values() for index in found), None)
    words = [
        shown_model(value) if name == "model" else LEVELS.get(value, value) if name == "level" else str(value)
        for name, value in named.items()
        if name != "dataset" and value
    ]
    if layout.subset is None:
        sizes = _subset_sizes([taken.rows[index] for found in lines.values() for index in found], layout)
    else:
        sizes = size_text(n, facts, layout.unit)
    detail = ", ".join([*words, sizes]).strip(", ")
    block = Block(str(facts["title"]), facts["synthetic"], detail)
    for line_key, found in sorted(lines.items(), key=lambda item: _place(item[0], layout)):
        if found:
            block.lines.extend(
                _lines([(taken.rows[i], taken.facts[i], reasons[i]) for i in found], layout, notes)
            )
        else:
            item = next(
                item for item in taken.absent if _key(item, layout.block + layout.row) == key + line_key
            )
            why = mark(notes, f"not available: {item['reason']}")
            block.lines.append(Line(line_name(item, layout), [], "absent", why))
    return block


def _subset_sizes(rows: list[dict], layout: Layout) -> str:
    """Word the sizes of the subsets in the order of their columns."""
    sizes = {row["subset"]: row["n"] for row in rows}
    groups = {column.where["subset"]: column.group for column in layout.columns}
    return ", ".join(f"{groups[name].lower()}: n = {sizes[name]:,}" for name in groups if name in sizes)


def _lines(found: list[tuple[dict, dict, str]], layout: Layout, notes: Notes) -> list[Line]:
    """Make the line of one row of the table, and one of published numbers for each mark they carry."""
    by_column = {_column_of(row, layout): (row, facts, reason) for row, facts, reason in found}
    cells, printed = [], {}
    for index in range(len(layout.columns)):
        if index not in by_column:
            cells.append(Cell(NOT_EVALUATED))
            continue
        row, facts, reason = by_column[index]
        cells.append(cell(row, _draws_mark(row, facts, notes)))
        if row["published"] is not None:
            why = (row["comparable"], reason if row["comparable"] == "no" else "")
            blank = [Cell()] * len(layout.columns)
            printed.setdefault(why, blank)[index] = Cell(number(row["published"]))
    lines = [Line(line_name(found[0][0], layout), cells)]
    for (comparable, reason), numbers in printed.items():
        if comparable == "yes":
            lines.append(Line("published", numbers, "published"))
        else:
            why = mark(notes, f"not comparable: {reason}") if reason else ""
            lines.append(Line("published, not comparable", numbers, "published", why))
    return lines


def _draws_mark(row: dict, facts: dict, notes: Notes) -> str:
    """Mark an interval that comes from fewer draws than were made."""
    draws = facts.get("interval_draws")
    if cell(row).value == UNDEFINED or draws is None or row["n_valid"] is None or row["n_valid"] >= draws:
        return ""
    return mark(
        notes, f"interval from {row['n_valid']:,} of {draws:,} resamples; in the others it is undefined"
    )


def _clashes(groups: dict[tuple, dict[tuple, list[int]]], rows: list[dict], layout: Layout) -> list[str]:
    """Name cells claimed twice and blocks whose lines were scored on different n."""
    problems = []
    for key, lines in groups.items():
        where = "/".join(map(str, key))
        scored: dict[str, set[int]] = {}
        for index in (index for found in lines.values() for index in found):
            scored.setdefault(rows[index]["subset"], set()).add(rows[index]["n"])
        for sizes in (sizes for sizes in scored.values() if len(sizes) > 1):
            listed = ", ".join(f"{size:,}" for size in sorted(sizes))
            problems.append(f"{where}: lines scored on different n ({listed}); evaluate all on one test set.")
        for line, found in lines.items():
            columns = [_column_of(rows[index], layout) for index in found]
            for column in sorted({column for column in columns if columns.count(column) > 1}):
                title = layout.columns[column].title
                problems.append(f"{where}: '{'/'.join(map(str, line))}' has {title} more than once.")
    return problems


def _column_of(row: dict, layout: Layout) -> int | None:
    """Return which column shows a row, None where no column does."""
    for index, column in enumerate(layout.columns):
        if all(row[key] == value for key, value in column.where.items()):
            return index
    return None


def _key(row: dict, names: tuple[str, ...]) -> tuple:
    return tuple(row.get(name, "") for name in names)


def _place(key: tuple, layout: Layout) -> int:
    named = dict(zip(layout.row, key, strict=True))
    return place(named.get("system", ""), named.get("model", ""))
