"""Tables that show no metrics: given rows, laid out and written by the same code as all others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from clinbench import provenance
from clinbench.errors import UserError, refuse
from clinbench.reporting.admission import plugin_facts
from clinbench.reporting.caption import Sentence, data_sentences
from clinbench.reporting.cells import UNDEFINED, Cell
from clinbench.reporting.layouts import Column, Layout
from clinbench.reporting.published_studies import source
from clinbench.reporting.table import Table, code_remarks
from clinbench.reporting.wide import Block, Line, Notes, mark


@dataclass(frozen=True)
class Shown:
    """One column: its heading, the text a row gives it, and a heading over neighbours."""

    title: str
    text: Callable[[dict], str]
    group: str = ""


@dataclass(frozen=True)
class Kind:
    """One kind of table.

    Attributes:
        name: of the LaTeX label.
        title: first words of the caption.
        keys: of the rows, all required, and columns of the CSV.
        block: keys that part the table into blocks; "dataset" is one.
        corner: heading of the names of lines.
        label: name of the line of a row.
        columns: in order.
        detail: what stands beside the data set over a block, from its first row.
        note: what a reader has to know.
        footnote: text of a footnote on the name of a line, or empty.
        below: a row of published numbers to stand under a row, or None.
        tall: LaTeX in small type, one float a block.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    block: tuple[str, ...]
    corner: str
    label: Callable[[dict], str]
    columns: tuple[Shown, ...]
    detail: Callable[[dict], str]
    note: str
    footnote: Callable[[dict], str] = lambda row: ""
    below: Callable[[dict], dict | None] = lambda row: None
    tall: bool = False


def lay_out(
    kind: Kind,
    rows: Sequence[dict],
    facts: Mapping[str, dict],
    runs: Sequence[dict],
    warnings: Sequence[str] = (),
) -> Table:
    """Build a table from rows that are no metrics.

    Args:
        kind: of the table.
        rows: dicts with exactly the keys ``kind.keys``, in the order of the lines; None is unknown.
        facts: data set to its ``title`` and ``synthetic``; by default those of its plug-in.
        runs: run records (``clinbench.provenance``) of what the rows were computed from.
        warnings: sentences set in bold under the title.

    Raises:
        UserError: rows are missing or lack keys, there is no provenance, or it is not known whether a data
            set is synthetic.
    """
    _check(kind, rows, runs)
    datasets = _datasets(kind, rows, facts)
    columns = tuple(Column(column.title, {}, column.group) for column in kind.columns)
    layout = Layout(
        *(kind.name, kind.title, {}, columns, kind.block, (), (), "", kind.corner), tall=kind.tall
    )
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in kind.block), []).append(row)
    notes: Notes = {}
    blocks = [_block(kind, members, datasets[members[0]["dataset"]], notes) for members in groups.values()]
    titles = [(str(known["title"]), known["synthetic"]) for known in datasets.values()]
    told: list[Sentence] = [*((text, True) for text in warnings), (kind.note, False)]
    if any(line.kind == "published" for block in blocks for line in block.lines):
        told.append((f"Published values: {source()}.", False))
    caption = [[(f"{kind.title}.", True), *data_sentences(titles)], told]
    table = Table(layout, list(rows), blocks, caption, notes, _remarks(blocks, runs), kind.keys)
    if not kind.tall or len(blocks) < 2:
        return table
    return replace(
        table, parts=[lay_out(kind, members, facts, runs, warnings) for members in groups.values()]
    )


def _datasets(kind: Kind, rows: Sequence[dict], facts: Mapping[str, dict]) -> dict[str, dict]:
    """Return title and label of each data set, or refuse those not known to be synthetic or not."""
    datasets = {row["dataset"]: plugin_facts(row["dataset"]) | facts.get(row["dataset"], {}) for row in rows}
    refuse(
        (
            f"data set '{name}': say in facts whether it is synthetic (true or false)."
            for name, known in datasets.items()
            if not isinstance(known.get("synthetic"), bool)
        ),
        f"The table '{kind.name}' cannot label its data:",
    )
    return datasets


def _block(kind: Kind, rows: list[dict], facts: dict, notes: Notes) -> Block:
    """Make one block: a line for each row, and one of published numbers where there are some."""
    block = Block(str(facts["title"]), facts["synthetic"], kind.detail(rows[0]))
    for row in rows:
        text = kind.footnote(row)
        letter = mark(notes, text) if text else ""
        cells = [Cell(column.text(row)) for column in kind.columns]
        block.lines.append(Line(kind.label(row), cells, mark=letter))
        if (theirs := kind.below(row)) is not None:
            texts = (column.text(theirs) for column in kind.columns)
            cells = [Cell("" if text == UNDEFINED else text) for text in texts]
            block.lines.append(Line("published", cells, "published"))
    return block


def _remarks(blocks: list[Block], runs: Sequence[dict]) -> list[str]:
    values = {cell.value for block in blocks for line in block.lines for cell in line.cells}
    return [f"{UNDEFINED} not known or not defined."] * (UNDEFINED in values) + code_remarks(runs)


def _check(kind: Kind, rows: Sequence[dict], runs: Sequence[dict]) -> None:
    if not rows:
        raise UserError(f"The table '{kind.name}' was given no rows.")
    if not runs:
        raise UserError(f"The table '{kind.name}' was given rows without provenance; pass their run records.")
    problems = [
        text
        for number, run in enumerate(runs, 1)
        for text in provenance.problems(run, run.get("origin") or f"run {number}")
    ]
    for number, row in enumerate(rows, 1):
        missing = [key for key in kind.keys if key not in row]
        unknown = [key for key in row if key not in kind.keys]
        problems += [f"row {number} lacks {', '.join(missing)}."] * bool(missing)
        problems += [f"row {number} has unknown keys {', '.join(unknown)}."] * bool(unknown)
    refuse(problems, f"The table '{kind.name}' refuses what it was given:")
