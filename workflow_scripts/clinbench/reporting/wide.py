"""From long rows to what is printed: blocks of lines of cells, and footnotes."""

from dataclasses import dataclass, field

from clinbench.errors import refuse
from clinbench.reporting.admission import BOOTSTRAP_MEAN, Admitted, defined
from clinbench.reporting.cells import NOT_EVALUATED, SKIPPED, Cell, cell, count, number
from clinbench.reporting.comparisons import Comparisons
from clinbench.reporting.layouts import Column, Layout
from clinbench.reporting.names import (
    EXPLAINED,
    METRICS,
    canonical,
    place,
    shown_level,
    shown_model,
    shown_row,
    shown_system,
)
from clinbench.reporting.sizes import size_text, train_text

WORDS = {"model": shown_model, "level": shown_level, "metric": lambda name: METRICS.get(name, name)}
MANY_TIES = 0.05  # share of tied scores above which the trapezoid is marked


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


@dataclass(frozen=True)
class Sheet:
    """What all lines are made from: admitted rows, the reason beside each, layout, and growing footnotes.

    ``repeats`` holds, for each cell, its number from every draw of the training stays; ``bold`` the indices of the
    rows set in bold.
    """

    taken: Admitted
    reasons: list[str]
    layout: Layout
    notes: Notes
    repeats: dict[tuple, list[float]]
    compared: Comparisons
    bold: set[int]


def arrange(
    taken: Admitted, reasons: list[str], layout: Layout, compared: Comparisons
) -> tuple[list[Block], Notes]:
    """Sort the rows into blocks, lines and columns.

    Args:
        taken: rows with their ``published`` and ``comparable`` filled.
        reasons: beside each row, why its published number is not comparable.
        layout: of the table.
        compared: its rows, pair by pair.

    Raises:
        UserError: two rows claim one cell, or lines of one block were scored on different n.
    """
    groups: dict[tuple, dict[tuple, list[int]]] = {}
    repeats: dict[tuple, list[float]] = {}
    for index, row in enumerate(taken.rows):
        column = _column_of(row, layout)
        if column is None:
            continue
        if layout.shows(row):
            lines = groups.setdefault(_key(row, layout.block), {})
            lines.setdefault(_key(row, layout.row), []).append(index)
        elif layout.spread and row["subset"].startswith(f"{layout.spread} ") and defined(row["value"]):
            repeats.setdefault((_key(row, layout.block + layout.row), column), []).append(row["value"])
    for item in taken.absent:
        row = {key: item[key] for key in ("dataset", "model", "system")}
        if "system" in layout.row and any(_covers(item, row, column) for column in layout.columns):
            groups.setdefault(_key(item, layout.block), {}).setdefault(_key(item, layout.row), [])
    refuse(_clashes(groups, taken.rows, layout), f"The table '{layout.name}' cannot be laid out:")
    bold = _bold(groups, taken, layout, compared)
    sheet = Sheet(taken, reasons, layout, {}, repeats, compared, bold)
    return [_block(key, lines, sheet) for key, lines in groups.items()], sheet.notes


def _bold(
    groups: dict[tuple, dict[tuple, list[int]]], taken: Admitted, layout: Layout, compared: Comparisons
) -> set[int]:
    """Return the indices of the rows that are bold: in each block and column, the best and what equals it.

    Trapezoids that many ties flatter rank nothing: their column has no bold.
    """
    rows, columns = taken.rows, {}
    for key, lines in groups.items():
        for index in (index for found in lines.values() for index in found):
            columns.setdefault((key, _column_of(rows[index], layout)), []).append(index)
    found = set()
    for members in columns.values():
        if any(_flattered(rows[index], taken.facts[index]) for index in members):
            continue
        names = compared.bold([rows[index] for index in members])
        found |= {index for index in members if rows[index]["system"] in names}
    return found


def line_name(row: dict, layout: Layout) -> str:
    """Return the display name of the line a row or absent row belongs to."""
    if layout.row == ("system",):
        return shown_system(row["system"])
    if layout.row == ("subset",):
        return str(row["subset"])
    if layout.row == ("system", "model"):
        return shown_row(row["system"], row["model"])
    return ", ".join(str(row.get(key, "")) for key in layout.row)


def _block(key: tuple, lines: dict[tuple, list[int]], sheet: Sheet) -> Block:
    """Make one block: its heading, and for each line the numbers and the published ones below."""
    taken, layout = sheet.taken, sheet.layout
    named = dict(zip(layout.block, key, strict=True))
    facts = taken.datasets[named["dataset"]]
    n = next((taken.rows[index]["n"] for found in lines.values() for index in found), None)
    words = [WORDS.get(name, str)(value) for name, value in named.items() if name != "dataset" and value]
    parted = layout.subset is None and "subset" not in layout.row
    sizes = size_text(n, facts, layout.unit)
    if parted:
        sizes = _subset_sizes([taken.rows[index] for found in lines.values() for index in found], layout)
    detail = ", ".join([*words, sizes]).strip(", ")
    detail = "; ".join(filter(None, [detail, train_text(facts, layout)]))
    block = Block(str(facts["title"]), facts["synthetic"], detail)
    for line_key, found in sorted(lines.items(), key=lambda item: _place(item[0], layout)):
        at = named | dict(zip(layout.row, line_key, strict=True))
        absent = [item for item in taken.absent if "level" not in item and _covers(item, at, None)]
        if not found and absent:
            why = mark(sheet.notes, f"not available: {absent[0]['reason']}")
            block.lines.append(Line(line_name(at, layout), [], "absent", why))
        else:
            block.lines.extend(_lines(at, found, sheet))
    return block


def _subset_sizes(rows: list[dict], layout: Layout) -> str:
    """Word the sizes of the subsets in the order of their columns."""
    sizes = {row["subset"]: row["n"] for row in rows}
    groups = {column.where["subset"]: column.group for column in layout.columns}
    return ", ".join(f"{groups[name].lower()}: n = {count(sizes[name])}" for name in groups if name in sizes)


def _lines(at: dict[str, str], found: list[int], sheet: Sheet) -> list[Line]:
    """Make the line of one row of the table, and one of published numbers for each mark they carry."""
    taken, layout, notes = sheet.taken, sheet.layout, sheet.notes
    by_column = {_column_of(taken.rows[index], layout): index for index in found}
    cells, printed = [], {}
    for column in range(len(layout.columns)):
        if column not in by_column:
            cells.append(_other_cell(at, layout.columns[column], sheet))
            continue
        index = by_column[column]
        row, reason, facts = taken.rows[index], sheet.reasons[index], taken.facts[index]
        repeats = sheet.repeats.get((_key(at, layout.block + layout.row), column), ())
        from_resamples = facts.get("value") == BOOTSTRAP_MEAN
        marks = [_draws_mark(row, facts, notes), _ties_mark(row, facts, notes)]
        deviation, bold = sheet.compared.deviation(row), index in sheet.bold
        told = ",".join(filter(None, marks))
        cells.append(cell(row, told, from_resamples, repeats, deviation, bold))
        if row["published"] is not None:
            why = (row["comparable"], reason if row["comparable"] == "no" else "")
            blank = [Cell()] * len(layout.columns)
            printed.setdefault(why, blank)[column] = Cell(number(row["published"]))
    explained = EXPLAINED.get(canonical(at.get("system", "")))
    caveats = [taken.facts[index]["caveat"] for index in found if taken.facts[index].get("caveat")]
    pools = [f"pool of {count(own)} codes" for at in found if (own := taken.facts[at].get("row_pool"))]
    told = "; ".join(dict.fromkeys(filter(None, [explained, *caveats, *pools])))
    letter = mark(notes, f"{line_name(at, layout)}: {told}") if told else ""
    lines = [Line(line_name(at, layout), cells, mark=letter)]
    for (comparable, reason), numbers in printed.items():
        if comparable == "yes":
            lines.append(Line("published", numbers, "published"))
        else:
            why = mark(notes, f"not comparable: {reason}") if reason else ""
            lines.append(Line("published, not comparable", numbers, "published", why))
    return lines


def _other_cell(at: dict[str, str], column: Column, sheet: Sheet) -> Cell:
    """Make the cell of a column that has no row: a count, what was skipped and why, or not evaluated."""
    if column.fact:
        counted = sheet.taken.datasets[at["dataset"]].get(column.fact, {}).get(at.get("subset"))
        return Cell(NOT_EVALUATED if counted is None else count(counted))
    for item in sheet.taken.absent:
        if _covers(item, at, column):
            text, word = (SKIPPED, "skipped") if "level" in item else (NOT_EVALUATED, "not available")
            return Cell(text, mark=mark(sheet.notes, f"{word}: {item['reason']}"))
    return Cell(NOT_EVALUATED)


def _covers(item: dict, at: dict[str, str], column: Column | None) -> bool:
    """Tell whether an absent item speaks of a place: the keys of a line, and of a column if one is given."""
    where = {**at, **(column.where if column else {})}
    keys = [key for key in ("dataset", "model", "system", "level") if key in item]
    return all(key in where and where[key] == item[key] for key in keys)


def _draws_mark(row: dict, facts: dict, notes: Notes) -> str:
    """Mark an interval that comes from fewer draws than were made."""
    draws = facts.get("interval_draws")
    if not defined(row["value"]) or draws is None or row["n_valid"] is None or row["n_valid"] >= draws:
        return ""
    return mark(
        notes, f"interval from {row['n_valid']:,} of {draws:,} resamples; in the others it is undefined"
    )


def _flattered(row: dict, facts: dict) -> bool:
    """Tell whether a trapezoid is one that many tied scores flatter."""
    return row["metric"] == "auprc" and (facts.get("tied_scores") or 0) > MANY_TIES and defined(row["value"])


def _ties_mark(row: dict, facts: dict, notes: Notes) -> str:
    """Mark a trapezoid that many tied scores flatter."""
    if not _flattered(row, facts):
        return ""
    return mark(
        notes,
        f"{facts['tied_scores']:.0%} of the scores are tied, which flatters AUPRC and ranks nothing: read AP",
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
            listed = ", ".join(sorted(map(count, sizes)))
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
        if not column.fact and all(row[key] == value for key, value in column.where.items()):
            return index
    return None


def _key(row: dict, names: tuple[str, ...]) -> tuple:
    return tuple(row.get(name, "") for name in names)


def _place(key: tuple, layout: Layout) -> int:
    named = dict(zip(layout.row, key, strict=True))
    return place(named.get("system", ""), named.get("model", ""))
