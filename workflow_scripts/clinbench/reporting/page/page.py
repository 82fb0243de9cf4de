"""The report as one HTML file: claims, tables, figures, cohort cards, what is not comparable, provenance."""

import base64
import hashlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from clinbench.errors import UserError
from clinbench.files import read_json
from clinbench.reporting.page.cards import Card
from clinbench.reporting.page.origins import Origin, commit_text, origins, seeds_text
from clinbench.reporting.page.reading import Reading, read_table
from clinbench.reporting.page.verdicts import Verdict, tally

HERE = Path(__file__).parent
TYPES = {
    ".csv": "text/csv",
    ".tex": "application/x-tex",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
}
LABELS = {".csv": "CSV", ".tex": "LaTeX", ".md": "Markdown", ".pdf": "PDF", ".png": "PNG"}
ON_SCREEN = 0.65  # of a picture's pixels


@dataclass(frozen=True)
class Part:
    """One table or figure of the page.

    Attributes:
        name: of its files, without suffix.
        title: short, for headings.
        command: that makes it.
        downloads: label, file name and data: link of each format.
        record: its run record.
        reading: of a table.
        image: data: link of a figure's picture.
        size: its width and height on the page.
        caption: of a figure.
        origins: of a table's rows.
    """

    name: str
    title: Markup | str
    command: str
    downloads: list[tuple[str, str, str]]
    record: dict
    reading: Reading | None = None
    image: str = ""
    size: tuple[int, int] = (0, 0)
    caption: str = ""
    origins: list[Origin] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        return self.name.replace("/", "-")

    @property
    def synthetic(self) -> bool:
        return self.reading is not None and any(
            "(synthetic data)" in grid.title for grid in self.reading.grids
        )

    @property
    def wide(self) -> bool:
        return self.reading is not None and any(grid.wide for grid in self.reading.grids)


def table_part(
    root: Path, name: str, target: str, command: str, metrics: Mapping[str, Sequence[dict]]
) -> Part:
    """Read a table's files below ``root``.

    Args:
        root: folder of results.
        name: of the table below it, without suffix.
        target: path by which the workflow makes it.
        command: with ``{target}``.
        metrics: see ``origins``.

    Raises:
        UserError: its Markdown or run record is not there.
    """
    record, markdown = root / f"{name}.run.json", root / f"{name}.md"
    for file in (record, markdown):
        if not file.is_file():
            raise UserError(f"{file} is not there; make {target} again.")
    told = read_json(record)
    reading = read_table(markdown.read_text(encoding="utf-8"))
    return Part(
        name,
        reading.title or Path(name).name,
        command.format(target=target),
        _downloads(root, name, (".csv", ".tex", ".md")),
        told,
        reading=reading,
        origins=origins(told.get("made_of", []), metrics, command),
    )


def figure_part(root: Path, name: str, target: str, command: str, record: Path, caption: str) -> Part:
    """Read a figure's files below ``root``, as ``table_part``.

    Args:
        record: its run record.
        caption: file of a sentence that names it, then what it shows; "" if there is none.
    """
    text = Path(caption).read_text("utf-8") if caption else Path(name).name
    title, _, rest = text.strip().partition(". ")
    picture = root / f"{name}.png"
    return Part(
        name,
        title.removesuffix("."),
        command.format(target=target),
        _downloads(root, name, (".pdf",)),
        read_json(record),
        image=_link(picture),
        size=_size(picture),
        caption=" ".join(rest.split()),
    )


def page(
    tables: Sequence[Part],
    figures: Sequence[Part],
    cards: Sequence[Card],
    ledger: tuple[Part, Sequence[Verdict]] | None,
    manifest: dict,
    left_out: Mapping[str, Sequence[str]],
) -> str:
    """Write the page; it holds all it needs, asks nothing of a network, and escapes all text.

    Args:
        tables, figures: in the order they are shown.
        cards: of the data sets behind them.
        ledger: the table of claims and what it says; None where there is none.
        manifest: of the run.
        left_out: results that may not be shared, with the reasons.
    """
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals |= {"commit_text": commit_text, "seeds_text": seeds_text}
    script, style = (HERE / "page.js").read_text("utf-8"), (HERE / "page.css").read_text("utf-8")
    notes = dict.fromkeys(
        (part.title, note.striptags().split("not comparable: ", 1)[1])
        for part in tables
        if part.reading
        for note in part.reading.notes
        if "not comparable: " in note
    )
    return environment.from_string((HERE / "page.html.j2").read_text("utf-8")).render(
        tables=tables,
        figures=figures,
        cards=cards,
        ledger=ledger and ledger[0],
        claims=ledger[1] if ledger else [],
        verdicts=tally(list(ledger[1])) if ledger else {},
        manifest=manifest,
        left_out=left_out,
        notes=list(notes),
        synthetic=any(card.synthetic for card in cards),
        not_comparable=Markup(
            MarkdownIt("zero")
            .enable(["heading", "list", "emphasis"])
            .render((HERE / "not_comparable.md").read_text("utf-8"))
        ),
        script=Markup(script),
        style=Markup(style),
        script_hash=_hash(script),
        style_hash=_hash(style),
    )


def _hash(text: str) -> str:
    """Return the hash by which the page's policy admits its own script and style, and no other."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _downloads(root: Path, name: str, suffixes: Sequence[str]) -> list[tuple[str, str, str]]:
    files = [(suffix, root / f"{name}{suffix}") for suffix in suffixes]
    return [(LABELS[suffix], file.name, _link(file)) for suffix, file in files if file.is_file()]


def _size(picture: Path) -> tuple[int, int]:
    """Return the width and height a PNG is shown in, from its header."""
    width, height = struct.unpack(">II", picture.read_bytes()[16:24])
    return round(ON_SCREEN * width), round(ON_SCREEN * height)


def _link(file: Path) -> str:
    """Return a file as a data: link."""
    return f"data:{TYPES[file.suffix]};base64,{base64.b64encode(file.read_bytes()).decode()}"
