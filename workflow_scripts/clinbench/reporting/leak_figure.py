"""The figure of the selection leak: what N trainings gain over one, picked on test and picked on validation."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from clinbench.reporting.admission import plugin_facts
from clinbench.reporting.cells import number
from clinbench.reporting.names import METRICS, shown_model, shown_system
from clinbench.reporting.published_studies import gain, search_sizes
from clinbench.reporting.searches import Searched, by_block, pooled
from clinbench.reporting.sizes import size_text
from clinbench.reporting.style import GREY, SELECTED_ON_TEST, legend, line_styles, panel_grid, titled, write

WIDTH, HEIGHT = 3.4, 3.0  # of a panel, inches
UNDER = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.7}
WORDS = {"fontsize": 6.5, "color": GREY}
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
NOTE = (
    "mean test score of the training picked, over every choice of N of a loss's trainings, less that of one training\n"
    "dashed upright: trainings compared in the published searches"
)


def plot_selection_leak(rows: Sequence[dict], path_pdf: str | Path, path_png: str | Path) -> None:
    """Draw two panels a cohort: the pick by the best test score, and by the best validation score (risk.md §4.4).

    Published gains over BCE are level lines, published sizes of searches upright ones.

    Args:
        rows: as ``searches.pooled``, of one model.
        path_pdf, path_png: written; same data, same bytes.

    Raises:
        UserError: as ``searches.pooled``.
    """
    blocks = list(by_block(pooled(rows)).values())
    write(lambda: _draw(blocks), path_pdf, path_png)


def _draw(blocks: Sequence[Sequence[Searched]]) -> Figure:
    """Lay out one line of panels a cohort, and one legend below."""
    styles = line_styles([one.system for block in blocks for one in block])
    figure, axes = panel_grid(2 * len(blocks), (WIDTH, HEIGHT), alone=0.0, below=0.85)
    for at, block in enumerate(blocks):
        pair = axes[2 * at : 2 * at + 2]
        for axis, picked in zip(pair, ("test", "validation"), strict=True):
            _panel(axis, block, picked, styles)
        limits = np.array([axis.get_ylim() for axis in pair])
        for axis in pair:
            axis.set_ylim(limits[:, 0].min(), limits[:, 1].max())
    legend(figure, styles, NOTE)
    return figure


def _panel(axis: Axes, block: Sequence[Searched], picked: str, styles: dict[str, dict]) -> None:
    """Draw the gain of each row against N, and what was published."""
    first, facts = block[0], plugin_facts(block[0].dataset)
    details = [f"picked on {picked}", shown_model(first.model), size_text(first.n, {}, "test stays")]
    details += [SELECTED_ON_TEST] * first.leaks
    title = titled(str(facts["title"]), facts["synthetic"], details, WIDTH - 0.4)
    axis.set_title(title, loc="left", fontsize=8, fontweight="bold", pad=14)
    metric = METRICS.get(first.metric, first.metric)
    axis.set(xscale="log", xlabel="N, trainings compared", ylabel=f"Gain in test {metric} over one training")
    longest = 1
    for one in block:
        expected = one.on_test if picked == "test" else one.on_validation
        sizes, longest = np.arange(1, len(expected) + 1), max(longest, len(expected))
        if len(expected):
            axis.plot(sizes, expected - expected[0], markevery=_marks(sizes), zorder=3, **styles[one.system])
    if not any(len(one.scores) for one in block):
        axis.text(0.5, 0.5, "undefined: one outcome only", transform=axis.transAxes, ha="center", **WORDS)
    _published(axis, block, longest)


def _marks(sizes: np.ndarray) -> list[int]:
    """Return where marks stand that are even on a logarithmic axis: at 1, 2, 5, 10 … and at the end."""
    return sorted({*(np.flatnonzero(np.isin(sizes, TICKS)).tolist()), len(sizes) - 1})


def _published(axis: Axes, block: Sequence[Searched], longest: int) -> None:
    """Mark published gains and sizes of searches, and set the axes."""
    first = block[0]
    sizes = search_sizes(first.task, first.model) or ()
    end = max(longest, *sizes, 2)
    gains: dict[str, dict[str, float]] = {}  # by what is printed: lines that nearly meet share their words
    for one in block:
        value = gain(one.task, one.model, one.system, one.metric)
        if value is not None:
            gains.setdefault(number(value), {})[shown_system(one.system)] = value
    for printed, of in gains.items():
        for value in of.values():
            axis.axhline(value, color=GREY, linewidth=0.8, linestyle=":", zorder=1)
        above = len(gains) == 1 or printed != min(
            gains
        )  # the lowest words stand below, clear of the next line
        place = {"xytext": (-3, 3 if above else -3), "textcoords": "offset points", "ha": "right"}
        words = {"va": "bottom" if above else "top", "zorder": 2, "bbox": UNDER, **WORDS}
        at = (1, (max if above else min)(of.values()))
        text = f"published gain {printed}: {', '.join(of)}"
        axis.annotate(text, at, xycoords=axis.get_yaxis_transform(), **place, **words)
    for size, row in zip(sizes, ("BCE", "with SCR"), strict=False):
        axis.axvline(size, color=GREY, linewidth=0.6, linestyle="--", zorder=0)
        frame = axis.get_xaxis_transform()
        axis.text(size, 1.01, f"{row}: {size}", transform=frame, ha="right", va="bottom", **WORDS)
    axis.set_xlim(0.9, 1.12 * end)
    axis.xaxis.set_major_locator(FixedLocator([tick for tick in TICKS if tick <= end]))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.axhline(0, color=GREY, linewidth=0.6, zorder=0)
    axis.tick_params(labelsize=7)
    axis.margins(y=0.1)
    axis.grid(axis="y", color="#e4e4e4", linewidth=0.5)
    axis.set_axisbelow(True)
