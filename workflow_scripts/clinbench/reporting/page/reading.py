"""What a table's Markdown says, as parts of a page; nothing in it is taken for HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

TAGS = {
    "strong_open": "<strong>", "strong_close": "</strong>", "em_open": "<em>", "em_close": "</em>",
    "hardbreak": "<br>", "softbreak": " ",
}  # fmt: skip
WRITTEN = {"<br>", "<sup>", "</sup>"}  # the HTML that ``reporting.markdown`` writes
RULES = ["table", "emphasis", "html_inline", "escape", "entity", "newline"]
WIDE = 12
NUMBER = re.compile(r"\[?([−-]?[\d,]*\.?\d+)")


@dataclass(frozen=True)
class Cell:
    """One cell: what it shows, and the number it is sorted by, or None."""

    html: Markup
    key: float | None = None


@dataclass
class Grid:
    """One table of a page.

    Attributes:
        title: of its block.
        groups: headings over neighbouring columns and how many they span; empty if there are none.
        heads: of all columns, the names of lines first.
        lines: each of rows of cells: the numbers, and what was published of them.
    """

    title: Markup
    groups: list[tuple[Markup, int]]
    heads: list[Markup]
    lines: list[list[list[Cell]]] = field(default_factory=list)

    @property
    def wide(self) -> bool:
        """Tell whether it needs small type, and paper on its side."""
        return len(self.heads) >= WIDE


@dataclass
class Reading:
    """A table's headline, caption, grids and footnotes."""

    title: Markup = Markup()
    caption: list[Markup] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    notes: list[Markup] = field(default_factory=list)


def read_table(text: str) -> Reading:
    """Read the Markdown of one table.

    Paragraphs before the first table are caption, the one right before each table is its title, those after
    the last are footnotes, one a line. Text stays text: it is escaped whatever it holds.
    """
    tokens = MarkdownIt("zero", {"html": True}).enable(RULES).parse(text)
    found, paragraphs, at = Reading(), [], 0
    while at < len(tokens):
        if tokens[at].type == "table_open":
            end = next(n for n in range(at, len(tokens)) if tokens[n].type == "table_close")
            title = _html(paragraphs.pop()) if paragraphs else Markup()
            if not found.grids:
                found.caption, paragraphs = [_html(one) for one in paragraphs], []
            found.grids.append(_grid(title, tokens[at:end]))
            at = end
        elif tokens[at].type == "inline":
            paragraphs.append(tokens[at].children or [])
        at += 1
    left = [line for one in paragraphs for line in _lines(one)]
    if found.grids:
        found.notes = left
    else:
        found.caption = left
    if found.caption and (bold := re.match(r"<strong>(.*?)</strong>\s*", found.caption[0])):
        found.title = Markup(bold[1].removesuffix("."))
        found.caption[0] = Markup(found.caption[0][bold.end() :])
    return found


def _grid(title: Markup, tokens: Sequence[Token]) -> Grid:
    rows: list[list[list[Token]]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.children or [])
    parts = [_html(cell).split(Markup("<br>")) for cell in rows[0]]
    over = [part[0] if len(part) > 1 else Markup() for part in parts]
    groups = [(name, len(list(members))) for name, members in groupby(over)] if any(over) else []
    grid = Grid(title, groups, [part[-1] for part in parts])
    for row in rows[1:]:
        cells = [_cell(cell) for cell in row]
        published = any(token.type == "em_open" for token in row[0])
        if published and grid.lines:
            grid.lines[-1].append(cells)
        else:
            grid.lines.append([cells])
    return grid


def _cell(tokens: Sequence[Token]) -> Cell:
    html = _html(tokens)
    number = NUMBER.match(html.striptags())
    return Cell(html, float(number[1].replace("−", "-").replace(",", "")) if number else None)


def _lines(tokens: Sequence[Token]) -> list[Markup]:
    """Return the lines of a paragraph that is broken by hand."""
    return [line for line in _html(tokens).split(Markup("<br>")) if line.strip()]


def _html(tokens: Sequence[Token]) -> Markup:
    """Return tokens as HTML with the tags of ``TAGS`` and ``WRITTEN`` only."""
    parts = []
    for token in tokens:
        if token.type in TAGS:
            parts.append(Markup(TAGS[token.type]))
        elif token.type == "html_inline" and token.content in WRITTEN:
            parts.append(Markup(token.content))
        else:
            parts.append(escape(token.content))
    return Markup().join(parts)
