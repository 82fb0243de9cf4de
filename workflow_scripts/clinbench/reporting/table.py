"""The one builder of all tables: long CSV, Markdown and LaTeX from the same metrics records."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clinbench.reporting.admission import COLUMNS, Admitted, Record, admit
from clinbench.reporting.caption import Sentence, headline, protocol
from clinbench.reporting.cells import NOT_EVALUATED, UNDEFINED
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
    """

    layout: Layout
    rows: list[dict]
    blocks: list[Block]
    caption: list[list[Sentence]]
    notes: Notes
    remarks: list[str]

    def to_csv(self) -> str:
        """Return all long rows, columns ``COLUMNS``, numbers in full, undefined empty."""
        out = io.StringIO()
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _plain(row[key]) for key in COLUMNS} for row in self.rows)
        return out.getvalue()

    def to_markdown(self) -> str:
        """Return caption, one table a block and footnotes."""
        return markdown(self.blocks, self.notes, self.remarks, self.caption, self.layout)

    def to_latex(self) -> str:
        """Return one float for booktabs (and rotating, if the layout is wide), in ASCII."""
        label = _label(self.rows, self.layout)
        return latex(self.blocks, self.notes, self.remarks, self.caption, self.layout, label)


def build(records: Sequence[Record], layout: Layout) -> Table:
    """Build a table from the records of metrics files.

    The papers' numbers are filled in where a row has none. Blocks come in the order of the records.

    Raises:
        UserError: see ``admit`` and ``arrange``: rows without provenance, n or interval, of another kind of
            table, doubled, or scored on different test sets.
    """
    taken = admit(records, layout)
    filled = [with_published(row, taken.datasets[row["dataset"]].get("pool")) for row in taken.rows]
    reasons = [reason for _, reason in filled]
    taken = replace(taken, rows=[row for row, _ in filled])
    blocks, notes = arrange(taken, reasons, layout)
    remarks = _remarks(blocks, taken)
    caption = [headline(taken, layout), protocol(taken, reasons, layout)]
    return Table(layout, taken.rows, blocks, caption, notes, remarks)


def _remarks(blocks: list[Block], taken: Admitted) -> list[str]:
    """Explain the signs that occur, and say which code the numbers come from."""
    values = {cell.value for block in blocks for line in block.lines for cell in line.cells}
    remarks = []
    if UNDEFINED in values:
        remarks.append(f"{UNDEFINED} undefined on this test set (one class only, or no query answered).")
    if NOT_EVALUATED in values:
        remarks.append(f"{NOT_EVALUATED} not evaluated.")
    commits = list(dict.fromkeys((run["git_commit"] or "")[:10] or "unknown" for run in taken.runs))
    if commits:
        changed = " with uncommitted changes" if any(run["git_dirty"] for run in taken.runs) else ""
        remarks.append(f"Computed by the code of commit {', '.join(commits)}{changed}.")
    return remarks


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
