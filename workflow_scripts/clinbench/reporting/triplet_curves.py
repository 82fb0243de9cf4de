"""The figure of the triplet approximations: where a loss term looks like a hinge or a line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from clinbench.errors import UserError, refuse
from clinbench.reporting.style import new_figure, write

WIDTH, HEIGHT = 2.9, 3.6  # of a panel and its error, inches
EXACT = {"color": "#222222", "linewidth": 1.6, "linestyle": "-"}
APPROXIMATIONS = (
    {"color": "#d55e00", "linewidth": 1.2, "linestyle": (0, (5, 1.5))},
    {"color": "#0072b2", "linewidth": 1.2, "linestyle": (0, (1.2, 1.2))},
    {"color": "#009e73", "linewidth": 1.2, "linestyle": (0, (6, 1.5, 1.2, 1.5))},
)


@dataclass(frozen=True)
class Triplet:
    """One column of the figure.

    Attributes:
        title: the loss term and its settings, such as "SCR, τ = 0.1".
        margin: (M,) ascending: s_ip − s_in, or the difference of the anchors' logits.
        exact: (M,) the loss term.
        approximations: name, such as "hinge" or "linear", to (M,) values at ``margin``.
        axis: what ``margin`` is.
    """

    title: str
    margin: np.ndarray
    exact: np.ndarray
    approximations: Mapping[str, np.ndarray]
    axis: str = "margin s_ip − s_in"


def plot_triplets(panels: Sequence[Triplet], path_pdf: str | Path, path_png: str | Path) -> None:
    """Draw the exact term and its approximations, and below them what each is wrong by.

    The curves come from formulas, no data are behind them, and the title says so. Written as PDF and PNG;
    same arrays, same bytes.

    Raises:
        UserError: no panels, more approximations than there are lines for, or shapes or numbers that do
            not fit.
    """
    _check(panels)
    write(lambda: _draw(panels), path_pdf, path_png)


def _draw(panels: Sequence[Triplet]) -> Figure:
    """Lay out one column a panel, terms above errors, and one legend below."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.approximations))
    styles = dict(zip(names, APPROXIMATIONS, strict=False))
    figure = new_figure(max(WIDTH * len(panels), 4.2), HEIGHT + 0.6)
    figure.suptitle(
        "Loss terms and their triplet approximations (formulas, no data)",
        x=0.01, ha="left", fontsize=8, fontweight="bold",
    )  # fmt: skip
    axes = figure.subplots(2, len(panels), squeeze=False, sharex="col", height_ratios=(3, 2))
    for (above, below), panel in zip(axes.T, panels, strict=True):
        above.plot(panel.margin, panel.exact, label="exact", **EXACT)
        for name, values in panel.approximations.items():
            above.plot(panel.margin, values, label=name, **styles[name])
            below.plot(panel.margin, np.asarray(values) - np.asarray(panel.exact), **styles[name])
        above.set_title(panel.title, loc="left", fontsize=8)
        below.xaxis.set_major_locator(MaxNLocator(5))
        below.axhline(0, color="#222222", linewidth=0.6)
        below.set_xlabel(panel.axis)
        for axis in (above, below):
            axis.grid(color="#e4e4e4", linewidth=0.5)
            axis.set_axisbelow(True)
            axis.tick_params(labelsize=7)
            axis.margins(x=0)
    axes[0, 0].set_ylabel("loss term")
    axes[1, 0].set_ylabel("approximation − exact")
    handles = {}
    for axis in axes[0]:
        handles |= dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=4, frameon=False, handlelength=3
    )
    return figure


def _check(panels: Sequence[Triplet]) -> None:
    if not panels:
        raise UserError("The figure of triplets has no panels: no curves were given.")
    problems = []
    for panel in panels:
        curves = {"margin": panel.margin, "exact": panel.exact, **panel.approximations}
        for name, values in curves.items():
            values = np.asarray(values, dtype=np.float64)
            if values.shape != np.shape(panel.margin) or values.ndim != 1 or values.size < 2:
                problems.append(
                    f"{panel.title}: '{name}' has shape {values.shape}; (M,) as the margin expected."
                )
            elif not np.isfinite(values).all():
                problems.append(f"{panel.title}: '{name}' holds a number that is not finite.")
    names = {name for panel in panels for name in panel.approximations}
    if len(names) > len(APPROXIMATIONS):
        problems.append(f"{len(names)} kinds of approximation; there are lines for {len(APPROXIMATIONS)}.")
    refuse(problems, "The figure of triplets cannot be drawn:")
