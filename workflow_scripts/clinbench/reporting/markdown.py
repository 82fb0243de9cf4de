"""A table in Markdown."""

import re

from tabulate import tabulate

from clinbench.reporting.caption import Sentence
from clinbench.reporting.cells import Cell
from clinbench.reporting.layouts import Layout
from clinbench.reporting.wide import Block, Line, Notes

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"}


def escape(text: object) -> str:
    """Return text that Markdown shows as it is, on one line and inside a table."""
    text = " ".join(str(text).split())
    return re.sub(r"[&<>|\\`*_{}\[\]#~$]", lambda found: ENTITIES.get(found[0], "\\" + found[0]), text)


def markdown(
    blocks: list[Block], notes: Notes, remarks: list[str], caption: list[list[Sentence]], layout: Layout
) -> str:
    """Write caption, one table a block, and footnotes."""
    parts = [
        " ".join(f"**{escape(text)}**" if bold else escape(text) for text, bold in paragraph)
        for paragraph in caption
        if paragraph
    ]
    heads = [layout.corner] + [
        f"{column.group}<br>{column.title}" if column.group else column.title for column in layout.columns
    ]
    for block in blocks:
        label = " **(synthetic data)**" if block.synthetic else ""
        detail = f" – {escape(block.detail)}" if block.detail else ""
        parts.append(f"**{escape(block.title)}**{label}{detail}")
        rows = [_row(line, len(layout.columns)) for line in block.lines]
        align = ["left"] + ["center"] * len(layout.columns)
        parts.append(tabulate(rows, heads, tablefmt="pipe", colalign=align, disable_numparse=True))
    footnotes = [f"<sup>{letter}</sup> {escape(text)}." for text, letter in notes.items()]
    if footnotes or remarks:
        parts.append("  \n".join([*footnotes, *map(escape, remarks)]))
    return "\n\n".join(parts) + "\n"


def _row(line: Line, columns: int) -> list[str]:
    superscript = f"<sup>{line.mark}</sup>" if line.mark else ""
    if line.kind == "absent":
        return [escape(line.label), f"not available{superscript}"] + [""] * (columns - 1)
    label = f"*{escape(line.label)}*" if line.kind == "published" else escape(line.label)
    return [label + superscript, *map(_cell, line.cells)]


def _cell(cell: Cell) -> str:
    superscript = f"<sup>{cell.mark}</sup>" if cell.mark else ""
    value = f"**{cell.value}**" if cell.bold else cell.value
    first = " ".join(filter(None, (value, cell.std))) + superscript
    return "<br>".join(filter(None, (first, cell.interval, cell.spread)))
