"""The figure of chapters: each system's score on the mentions of each ICD-10 chapter."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from clinbench.errors import UserError
from clinbench.reporting.admission import Record, plugin_facts
from clinbench.reporting.names import METRICS, place, shown_row
from clinbench.reporting.style import line_styles, new_figure, titled, write

CHAPTERS = (
    *("Infections", "Neoplasms", "Blood", "Endocrine, metabolic", "Mental", "Nervous system", "Eye", "Ear"),
    *("Circulatory", "Respiratory", "Digestive", "Skin", "Musculoskeletal", "Genitourinary", "Pregnancy"),
    *("Perinatal", "Congenital", "Symptoms, findings", "Injury, poisoning", "External causes"),
    *("Health services", "Special purposes"),
)  # 1 to 22, as in ICD-10-CM
WIDTH, LINE = 5.2, 0.075  # of the panel and of one mark's row, inches
METRIC = "map10"


def plot_chapters(records: Sequence[Record], path_pdf: str | Path, path_png: str | Path) -> None:
    """Draw one benchmark: a line a chapter, a mark with its 95 % interval a system; same data, same bytes.

    Args:
        records: metrics files of one benchmark; rows of subsets ``chapter:1`` to ``chapter:22`` are drawn.

    Where no chapter has enough mentions to be scored, the picture says so.

    Raises:
        UserError: no rows, or rows of several benchmarks.
    """
    names = sorted({row["dataset"] for record in records for row in record["rows"]})
    if len(names) != 1:
        raise UserError(
            f"The figure of chapters shows one benchmark; given are {', '.join(names) or 'none'}."
        )
    rows = [
        row
        for record in records
        for row in record["rows"]
        if row["subset"].startswith("chapter:") and (row["level"], row["metric"]) == ("exact", METRIC)
    ]
    facts = plugin_facts(names[0]) | {key: value for r in records for key, value in r["facts"].items()}
    write(lambda: _draw(rows, facts) if rows else _empty(facts), path_pdf, path_png)


def _draw(rows: list[dict], facts: dict) -> Figure:
    systems = sorted({(row["system"], row["model"]) for row in rows}, key=lambda pair: place(*pair))
    styles = dict(zip(systems, line_styles([" ".join(pair) for pair in systems]).values(), strict=True))
    sizes = {int(row["subset"].removeprefix("chapter:")): row["n"] for row in rows}
    chapters = sorted(sizes)
    band = LINE * (len(systems) + 1.5)
    figure = new_figure(WIDTH, max(1.2, band * len(chapters)) + 1.1)
    axis = figure.subplots()
    at = {chapter: -row for row, chapter in enumerate(chapters)}
    for row in rows:
        shift = (systems.index((row["system"], row["model"])) + 1) / (len(systems) + 1) - 0.5
        _mark(
            axis,
            row,
            at[int(row["subset"].removeprefix("chapter:"))] - shift,
            styles[row["system"], row["model"]],
        )
    names = [f"{number} {CHAPTERS[number - 1]} ({sizes[number]:,})" for number in chapters]
    axis.set_yticks(list(at.values()), names)
    for below in list(at.values())[:-1]:
        axis.axhline(below - 0.5, color="#e4e4e4", linewidth=0.5)
    axis.set_ylim(-len(chapters) + 0.5, 0.5)
    axis.set(xlabel=f"{METRICS[METRIC]}, exact code (line: 95 % interval)", xlim=(-0.02, 1.02))
    axis.tick_params(labelsize=7)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color="#e4e4e4", linewidth=0.5)
    axis.set_axisbelow(True)
    details = [f"n = {sum(sizes.values()):,} in the chapters shown, mentions of each in parentheses"]
    figure.suptitle(
        titled(facts["title"], facts["synthetic"], details, WIDTH),
        x=0.01, ha="left", fontsize=8, fontweight="bold",
    )  # fmt: skip
    handles = [Line2D([], [], label=shown_row(*pair), **_dots(styles[pair])) for pair in systems]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(3, len(handles)), frameon=False)
    return figure


def _empty(facts: dict) -> Figure:
    """Say that there is nothing to draw."""
    figure = new_figure(WIDTH, 1.0)
    title = titled(facts["title"], facts["synthetic"], ["too few test mentions in every chapter"], WIDTH)
    figure.suptitle(title, x=0.01, ha="left", fontsize=8, fontweight="bold")
    return figure


def _mark(axis: Axes, row: dict, y: float, style: dict) -> None:
    axis.plot(
        [row["ci_low"], row["ci_high"]], [y, y], color=style["color"], linewidth=0.8, alpha=0.6, zorder=2
    )
    axis.plot(row["value"], y, zorder=3, **_dots(style))


def _dots(style: dict) -> dict:
    return style | {"linestyle": "none", "markersize": 3.8, "markeredgewidth": 0.8}
