"""The look of all figures, and how they are written: same data, same bytes."""

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from clinbench.files import atomic_path
from clinbench.reporting.names import canonical, place, shown_system

STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that every machine draws the same
    "font.size": 8,
    "axes.linewidth": 0.6,
    "pdf.fonttype": 42,
    "text.parse_math": False,
}
RASTER_DPI = 300
LETTERS = 12.5  # letters of a bold title on one inch
LEGEND_COLUMN = 1.35  # inches
SELECTED_ON_TEST = "selected on the test set, hence optimistic"
GREY = "#6b6b6b"
# Colours of Okabe and Ito, told apart by colour-blind readers; marks and dashes tell rows apart in grey.
FAMILIES = {
    "bce": ("#0072b2", "o"),
    "cbce": ("#d55e00", "s"),
    "csce": ("#009e73", "^"),
    "gbt": ("#222222", "D"),
}
OWN = (("#cc79a7", "v"), ("#e69f00", "P"), ("#56b4e9", "X"), ("#8c6d31", "*"))


def write(draw: Callable[[], Figure], path_pdf: str | Path, path_png: str | Path) -> None:
    """Draw in the house style, whatever the user's, and write PDF and PNG without dates."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = draw()
        with atomic_path(path_pdf) as temporary:
            dates = {"CreationDate": None, "ModDate": None}
            figure.savefig(temporary, format="pdf", dpi=RASTER_DPI, metadata=dates)
        with atomic_path(path_png) as temporary:
            figure.savefig(temporary, format="png", dpi=200, metadata={"Software": None})


def new_figure(width: float, height: float) -> Figure:
    """Make an empty figure, inches, that leaves no global state."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def panel_grid(
    count: int, panel: tuple[float, float], alone: float, below: float
) -> tuple[Figure, list[Axes]]:
    """Make a figure of ``count`` panels, up to two side by side.

    Args:
        panel: width and height of one, inches.
        alone: width added where there is one panel only, for its title and legend.
        below: height added for the legend.
    """
    columns = min(2, count)
    rows = -(-count // columns)
    width = panel[0] * columns + (alone if columns == 1 else 0)
    figure = new_figure(width, panel[1] * rows + below)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis in axes[count:]:
        axis.set_axis_off()
    return figure, list(axes[:count])


def titled(cohort: str, synthetic: bool, details: Sequence[str], inches: float) -> str:
    """Word a title that names the cohort, labels synthetic data, tells n, and fits a width."""
    label = " – synthetic data" if synthetic else ""
    listed = "; ".join(filter(None, details)).replace("n = ", "n\u00a0=\u00a0")
    return "\n".join(textwrap.wrap(f"{cohort}{label} ({listed})", max(20, int(inches * LETTERS))))


def line_styles(systems: Sequence[str]) -> dict[str, dict]:
    """Give each row its line, in the order of tables: one colour and mark a contrast, dashed without SCR.

    Returns:
        Row to keyword arguments of ``Axes.plot``.
    """
    styles, own = {}, 0
    for system in sorted(dict.fromkeys(systems), key=place):
        name = canonical(system)
        family = name.removesuffix("_scr")
        if family in FAMILIES:
            colour, marker = FAMILIES[family]
            dashed = name == family != "gbt"
        else:
            colour, marker = OWN[own % len(OWN)]
            dashed, own = bool(own // len(OWN)), own + 1
        styles[system] = {
            "color": colour,
            "marker": marker,
            "linestyle": (0, (4, 1.5)) if dashed else "-",
            "markerfacecolor": "white" if dashed else colour,
            "markersize": 4.5,
            "linewidth": 1.2,
        }
    return styles


def legend(figure: Figure, styles: dict[str, dict], note: str) -> None:
    """Put one legend of rows below all panels, as wide as the figure allows, with a line that explains marks."""
    handles = [Line2D([], [], label=shown_system(system), **style) for system, style in styles.items()]
    columns = max(1, int(figure.get_figwidth() / LEGEND_COLUMN))
    shown = figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=min(columns, -(-len(handles) // 2) if len(handles) > columns else len(handles)),
        frameon=False,
        handlelength=2.8,
        title=note,
        title_fontsize=7,
    )
    shown.get_title().set_multialignment("center")
