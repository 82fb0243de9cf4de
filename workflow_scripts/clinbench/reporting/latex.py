"""A table in LaTeX with booktabs, in plain ASCII, so that every engine and encoding can set it."""

import re
import textwrap
import unicodedata
from itertools import groupby

from clinbench.reporting.caption import Sentence
from clinbench.reporting.cells import Cell
from clinbench.reporting.layouts import Layout
from clinbench.reporting.wide import Block, Line, Notes

SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\symbol{34}", "`": r"\symbol{96}",
    # A bracket or star after a line end would be read as its argument.
    "[": "{[}", "]": "{]}", "*": "{*}",
    "–": "--", "—": "---", "−": "$-$", "×": r"$\times$", "±": r"$\pm$", "≤": r"$\leq$", "≥": r"$\geq$",
    "→": r"$\to$", "·": r"$\cdot$", "…": r"\ldots{}", "‘": r"\symbol{96}", "’": "'", "“": "``", "”": "''",
    "\u200b": "{}", "§": r"\S{}", "¿": "?`", "¡": "!`", "ı": r"\i{}",
    "°": r"$^\circ$", "µ": r"$\mu$", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}",
    "Ø": r"\O{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ł": r"\l{}", "Ł": r"\L{}",
}  # fmt: skip
# Scales a table that is wider than the text down to it.
SHRINK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u0304": "=", "\u0307": ".",
    "\u0306": "u", "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
GREEK_LETTERS = (
    *(
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
    ),
    *("xi", "omicron", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)


def escape(text: object) -> str:
    """Return ASCII LaTeX that prints ``text`` on one line.

    A letter LaTeX has no command for is printed without its marks, any other character by its number.

    Example:
        >>> escape("50% of BCE+λSCR_β")
        '50\\\\% of BCE+$\\\\lambda$SCR\\\\_$\\\\beta$'
    """
    words = unicodedata.normalize("NFC", " ".join(str(text).split()))
    # Doubled signs would be joined to a dash or quote.
    words = re.sub(r"([-,'])(?=\1)", "\\1\u200b", words)
    escaped = "".join(_character(letter) for letter in words)
    return re.sub(r"\bn = (?=\d)", "n~=~", escaped)


def latex(
    blocks: list[Block],
    notes: Notes,
    remarks: list[str],
    caption: list[list[Sentence]],
    layout: Layout,
    label: str,
) -> str:
    """Write one float: caption, all blocks, footnotes.

    Needs booktabs, and rotating if it is wide or graphicx if it is tall.
    """
    columns = len(layout.columns)
    # Over both columns of a two-column class; in others the star changes nothing.
    environment = "sidewaystable*" if layout.wide else "table*"
    size, small, gap = _sizes(blocks, layout)
    joined = all(len(_name(block) + block.detail) < 75 for block in blocks)
    lines = [
        "% " + " ".join(rf"\usepackage{{{name}}}" for name in _packages(layout)),
        rf"\begin{{{environment}}}" + ("" if layout.wide else "[tbp]"),
        r"\centering",
        _caption(caption, layout),
        rf"\label{{tab:{label}}}",
        rf"\par\smallskip\{size}\setlength{{\tabcolsep}}{{{gap}}}",
        *([SHRINK] if layout.tall else []),
        rf"\begin{{tabular}}{{@{{}}{_first(layout)}{'c' * columns}@{{}}}}",
        r"\toprule",
        *_heads(layout),
    ]
    for block in blocks:
        lines += [r"\midrule", *_heading(block, columns, joined, layout.wide), r"\addlinespace[2pt]"]
        lines += [text for line in block.lines for text in _line(line, columns, small, layout)]
    lines += [r"\bottomrule", r"\end{tabular}" + "}" * layout.tall]
    footnotes = [rf"\textsuperscript{{{letter}}}\,{escape(note)}." for note, letter in notes.items()]
    footnotes += map(escape, remarks)
    if footnotes:
        # The footnotes are as wide as the text, whatever the width of the table.
        lines += [r"\par\smallskip", rf"\begin{{minipage}}{{\linewidth}}\{size}\raggedright"]
        lines += [" \\\\\n".join(footnotes), r"\end{minipage}"]
    return "\n".join([*lines, rf"\end{{{environment}}}"]) + "\n"


def _sizes(blocks: list[Block], layout: Layout) -> tuple[str, str, str]:
    """Choose the size of numbers and of intervals, and the gap of columns, so that the table fits a page."""
    if layout.wide:
        return "scriptsize", "tiny", "2.5pt"
    if layout.tall:
        return "scriptsize", "tiny", "2pt"
    heights = (2 if line.kind == "numbers" else 1 for block in blocks for line in block.lines)
    return ("footnotesize", "tiny", "5pt") if sum(heights) > 25 else ("small", "scriptsize", "5pt")


def _packages(layout: Layout) -> list[str]:
    """Name the packages a table needs."""
    return ["booktabs", *["rotating"] * layout.wide, *["graphicx"] * layout.tall]


def _first(layout: Layout) -> str:
    """Return the type of the column of names: in a tall table as wide as the numbers leave it."""
    return rf"p{{{max(0.24, 0.97 - 0.11 * len(layout.columns)):.2f}\linewidth}}" if layout.tall else "l"


def _caption(caption: list[list[Sentence]], layout: Layout) -> str:
    """Write the headline, and the protocol in small type below it."""
    head, protocol = (
        " ".join(rf"\textbf{{{escape(text)}}}" if bold else escape(text) for text, bold in paragraph)
        for paragraph in caption
    )
    below = rf"\par{{\footnotesize {protocol}\par}}" if protocol else ""
    return rf"\caption[{{{escape(layout.title)}}}]{{{head}{below}}}"


def _character(letter: str) -> str:
    if letter in SPECIAL:
        return SPECIAL[letter]
    if greek := _greek(letter):
        return greek
    if letter.isascii():
        return letter if letter.isprintable() else ""
    base, *marks = unicodedata.normalize("NFD", letter)
    if base.isascii() and len(marks) == 1 and marks[0] in ACCENTS:
        return rf"\{ACCENTS[marks[0]]}{{{base}}}"
    plain = "".join(part for part in unicodedata.normalize("NFKD", letter) if part.isascii())
    if plain or unicodedata.category(letter) in ("Cf", "Mn"):
        return "".join(map(_character, plain))
    return f"U+{ord(letter):04X}"


def _greek(letter: str) -> str:
    """Return the command of a Greek letter, or nothing; capitals that look Latin have none."""
    small = ord(letter.lower()) - ord("α") if len(letter.lower()) == 1 else -1
    if not 0 <= small < len(GREEK_LETTERS):
        return ""
    name = GREEK_LETTERS[small]
    if letter != letter.lower():
        latin = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX", strict=True))
        return rf"$\mathrm{{{latin[letter]}}}$" if letter in latin else rf"$\{name.capitalize()}$"
    return "$o$" if name == "omicron" else rf"$\{name}$"


def _heads(layout: Layout) -> list[str]:
    """Write the line of group headings, if any, and that of column headings."""
    heads, rules, start = [], [], 2
    for group, members in groupby(layout.columns, key=lambda column: column.group):
        width = len(list(members))
        heads.append(rf"\multicolumn{{{width}}}{{c}}{{{escape(group)}}}")
        rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}" if group else "")
        start += width
    small = r"\tiny " * layout.tall
    titles = " & ".join([escape(layout.corner), *(small + escape(column.title) for column in layout.columns)])
    grouped = any(column.group for column in layout.columns)
    over = [" & ".join(["", *heads]).strip() + r" \\", "".join(rules)] if grouped else []
    return [*over, titles + r" \\"]


def _heading(block: Block, columns: int, joined: bool, wide: bool) -> list[str]:
    """Write data set and detail over a block, on one line or broken so that they do not widen the table."""
    lines = [rf"\textbf{{{escape(part)}}}" for part in textwrap.wrap(_name(block), 60)]
    if joined:
        lines[-1] += rf"\quad {escape(block.detail)}"
    else:
        lines += [escape(part) for part in textwrap.wrap(block.detail, 110 if wide else 75)]
    return [rf"\multicolumn{{{columns + 1}}}{{@{{}}l@{{}}}}{{{line}}} \\" for line in lines]


def _name(block: Block) -> str:
    return block.title + " (synthetic data)" * block.synthetic


def _line(line: Line, columns: int, size: str, layout: Layout) -> list[str]:
    """Write the values of a line, and intervals and ranges small below them."""
    superscript = rf"\textsuperscript{{{line.mark}}}" if line.mark else ""
    label = r"\raggedright " * layout.tall + escape(line.label)
    if line.kind == "absent":
        return [rf"{label} & \multicolumn{{{columns}}}{{l}}{{not available{superscript}}} \\[2pt]"]
    if line.kind == "published":
        label = rf"\quad\textit{{{label}}}"
    values = [_value(cell, size if layout.wide or layout.tall else "") for cell in line.cells]
    below = [[_small(text, size) for text in (cell.interval, cell.spread)] for cell in line.cells]
    if layout.tall:  # a wrapped name stands beside all lines of its cells
        values = [_stacked([value, *filter(None, small)]) for value, small in zip(values, below, strict=True)]
    lines = [[label + superscript, *values]]
    if not layout.tall:
        lines += [["", *texts] for texts in zip(*below, strict=True) if any(texts)]
    ends = [r" \\[-2pt]"] * (len(lines) - 1) + [r" \\" if layout.tall else r" \\[2pt]"]
    return [" & ".join(texts).strip() + end for texts, end in zip(lines, ends, strict=True)]


def _stacked(texts: list[str]) -> str:
    """Set texts below each other in one cell, the first on the line."""
    if len(texts) == 1:
        return texts[0]
    return r"\begin{tabular}[t]{@{}c@{}}" + r"\\[-2pt]".join(texts) + r"\end{tabular}"


def _value(cell: Cell, size: str) -> str:
    superscript = rf"\textsuperscript{{{cell.mark}}}" if cell.mark else ""
    std = rf"{{\{size} {escape(cell.std)}}}" if cell.std and size else escape(cell.std)
    value = rf"\textbf{{{escape(cell.value)}}}" if cell.bold else escape(cell.value)
    return " ".join(filter(None, (value, std))) + superscript


def _small(interval: str, size: str) -> str:
    return rf"{{\{size} {escape(interval)}}}" if interval else ""
