"""The one builder of all tables: long CSV, Markdown and LaTeX from the same metrics records."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from clinbench.reporting.admission import COLUMNS, SAMPLE, Admitted, Record, admit
from clinbench.reporting.caption import Sentence, headline, protocol
from clinbench.reporting.cells import NOT_EVALUATED, UNDEFINED
from clinbench.reporting.comparisons import Comparisons
from clinbench.reporting.latex import latex
from clinbench.reporting.layouts import Layout
from clinbench.reporting.markdown import markdown
from clinbench.reporting.published import with_published
from clinbench.reporting.wide import Block, Notes, arrange


@dataclass(frozen=True)
class Table:
    """One table, ready to be written.

    Attributes:
        layout: its kind.
        rows: all long rows, also those no column shows.
        blocks: what is printed.
        caption: its two paragraphs, each of sentences and whether they are bold.
        notes: footnote text to its letter.
        remarks: footnotes without a letter.
        keys: columns of the CSV.
        parts: the tables of its single blocks, where each is a LaTeX float of its own.
    """

    layout: Layout
    rows: list[dict]
    blocks: list[Block]
    caption: list[list[Sentence]]
    notes: Notes
    remarks: list[str]
    keys: tuple[str, ...] = COLUMNS
    parts: list["Table"] = field(default_factory=list)

    def to_csv(self) -> str:
        """Return all rows, columns ``keys``, numbers in full, undefined empty."""
        out = io.StringIO()
        writer = csv.DictWriter(out, self.keys, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _plain(row[key]) for key in self.keys} for row in self.rows)
        return out.getvalue()

    def to_markdown(self) -> str:
        """Return caption, one table a block and footnotes."""
        return markdown(self.blocks, self.notes, self.remarks, self.caption, self.layout)

    def to_latex(self) -> str:
        """Return one float in ASCII, or one a block if the layout is tall; its first line names the packages."""
        if self.parts:
            return "\n".join(part.to_latex() for part in self.parts)
        label = _label(self.rows, self.layout)
        return latex(self.blocks, self.notes, self.remarks, self.caption, self.layout, label)


def build(records: Sequence[Record], layout: Layout, paired: Sequence[dict] = ()) -> Table:
    """Build a table from the records of metrics files.

    The papers' numbers are filled in where a row has none. Blocks come in the order of the records.

    Args:
        records: of the metrics files.
        layout: of the table.
        paired: contents of the paired.json of its blocks; without them nothing is bold.

    Raises:
        UserError: see ``admit`` and ``arrange``: rows without provenance, n or interval, of another kind of
            table, doubled, or scored on different test sets.
    """
    taken = admit(records, layout)
    filled = [
        with_published(
            row,
            facts.get("row_pool", taken.datasets[row["dataset"]].get("pool")),
            facts.get("value", SAMPLE),
        )
        for row, facts in zip(taken.rows, taken.facts, strict=True)
    ]
    reasons = [reason for _, reason in filled]
    taken = replace(taken, rows=[row for row, _ in filled])
    compared = Comparisons.of(paired)
    table = _assembled(taken, reasons, layout, compared)
    if not layout.tall or len(table.blocks) < 2:
        return table
    places = dict.fromkeys(tuple(row[key] for key in layout.block) for row in taken.rows)
    return replace(
        table,
        parts=[_assembled(*_only(place, taken, reasons, layout), layout, compared) for place in places],
    )


def _only(place: tuple, taken: Admitted, reasons: list[str], layout: Layout) -> tuple[Admitted, list[str]]:
    """Keep what belongs to one block."""
    kept = [index for index, row in enumerate(taken.rows) if tuple(row[key] for key in layout.block) == place]
    absent = [item for item in taken.absent if tuple(item.get(key, "") for key in layout.block) == place]
    dataset = dict(zip(layout.block, place, strict=True))["dataset"]
    rows, facts = [taken.rows[index] for index in kept], [taken.facts[index] for index in kept]
    block = Admitted(rows, facts, absent, taken.runs, {dataset: taken.datasets[dataset]})
    return block, [reasons[index] for index in kept]


def _assembled(taken: Admitted, reasons: list[str], layout: Layout, compared: Comparisons) -> Table:
    """Lay out admitted rows with caption and footnotes."""
    blocks, notes = arrange(taken, reasons, layout, compared)
    remarks = _remarks(blocks, taken)
    cells = [cell for block in blocks for line in block.lines for cell in line.cells]
    told = [compared.note()] * any(cell.bold for cell in cells)
    if any(cell.spread.startswith("SD") for cell in cells):
        told.append("SD is the standard deviation over the seeds, on the whole test set.")
    caption = [headline(taken, layout), protocol(taken, reasons, layout, told)]
    return Table(layout, taken.rows, blocks, caption, notes, remarks)


def _remarks(blocks: list[Block], taken: Admitted) -> list[str]:
    """Explain the signs that occur, and say which code the numbers come from."""
    values = {cell.value for block in blocks for line in block.lines for cell in line.cells}
    remarks = []
    if UNDEFINED in values:
        remarks.append(f"{UNDEFINED} undefined on this test set (one class only, or no query answered).")
    if NOT_EVALUATED in values:
        remarks.append(f"{NOT_EVALUATED} not evaluated.")
    return [*remarks, *code_remarks(taken.runs)]


def code_remarks(runs: Sequence[dict]) -> list[str]:
    """Say which code numbers come from, by their run records."""
    commits = list(dict.fromkeys((run["git_commit"] or "")[:10] or "unknown" for run in runs))
    if not commits:
        return []
    changed = " with uncommitted changes" if any(run["git_dirty"] for run in runs) else ""
    return [f"Computed by the code of commit {', '.join(commits)}{changed}."]


def _label(rows: list[dict], layout: Layout) -> str:
    """Name a table for cross-references: its kind, and the data set and model that all rows share."""
    values = ({str(row[key]) for row in rows} for key in layout.block)
    shared = [next(iter(found)) for found in values if len(found) == 1]
    return re.sub(r"[^A-Za-z0-9]+", "-", "-".join([layout.name, *shared])).strip("-")


def _plain(value: object) -> object:
    """Write undefined numbers as nothing, and keep one row on one line."""
    if value is None or value != value:
        return ""
    return " ".join(value.split()) if isinstance(value, str) else value
