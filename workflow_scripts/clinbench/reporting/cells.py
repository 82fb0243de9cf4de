"""Numbers as text: three decimals without a leading zero, as the papers print them."""

from collections.abc import Sequence
from dataclasses import dataclass

from clinbench.governance import SUPPRESSED
from clinbench.reporting.admission import defined

UNDEFINED = "–"
NOT_EVALUATED = "n/a"
SKIPPED = "skipped"


@dataclass(frozen=True)
class Cell:
    """The texts of one cell, each may be empty, and whether its value is bold.

    They are value, deviation, interval, footnote mark, and the spread over draws or seeds.
    """

    value: str = ""
    std: str = ""
    interval: str = ""
    mark: str = ""
    spread: str = ""
    bold: bool = False


def count(number: int | float | str | None) -> str:
    """Word a count: 3,236; a small one of credentialed data comes as its mark, <10."""
    if number is None:
        return UNDEFINED
    return number if isinstance(number, str) else f"{number:,.0f}"


def number(value: float | None) -> str:
    """Format one number.

    Example:
        >>> number(0.8537), number(1.0), number(-0.0123), number(None)
        ('.854', '1.000', '−.012', '–')
    """
    if not defined(value):
        return UNDEFINED
    text = f"{abs(value):.3f}"
    text = text.removeprefix("0") if text.startswith("0.") else text
    return f"−{text}" if value < 0 and text != ".000" else text


def interval(low: float | None, high: float | None) -> str:
    """Format an interval, or nothing where it is undefined."""
    return f"[{number(low)}, {number(high)}]" if defined(low) and defined(high) else ""


def cell(
    row: dict,
    mark: str = "",
    bootstrap_mean: bool = False,
    repeats: Sequence[float] = (),
    deviation: float | None = None,
    bold: bool = False,
) -> Cell:
    """Format the numbers of one long row.

    Args:
        row: the long row.
        mark: letter of its footnote, or empty.
        bootstrap_mean: the value is the mean over resamples, so that its deviation follows a ±.
        repeats: the same number from each draw of the training stays; their range is told.
        deviation: over the seeds; told where there is no range.
        bold: set the value in bold.
    """
    if not defined(row["value"]):
        return Cell(SUPPRESSED if row["n"] == SUPPRESSED else UNDEFINED, mark=mark)
    std = number(row["std"]) if defined(row["std"]) else ""
    std = f"± {std}" * bool(std) if bootstrap_mean else f"({std})" * bool(std)
    spread = f"{number(min(repeats))}–{number(max(repeats))}" if len(repeats) > 1 else ""
    if deviation is not None and not spread:
        spread = f"SD {number(deviation)}"
    return Cell(number(row["value"]), std, interval(row["ci_low"], row["ci_high"]), mark, spread, bold)
