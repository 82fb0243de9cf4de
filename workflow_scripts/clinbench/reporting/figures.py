"""The figure of embeddings: one panel a cohort and loss, points by label, anchors on top."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from clinbench.errors import UserError, refuse
from clinbench.reporting.names import place, shown_system
from clinbench.reporting.style import SELECTED_ON_TEST, new_figure, titled, write

ORANGE, BLUE, RED = "#f28e2b", "#3b6fb6", "#d7191c"
PANEL = 2.1  # side of a panel, inches
LEGEND = 4.6  # width the legend needs on one line, inches


@dataclass(frozen=True)
class Panel:
    """One panel.

    Attributes:
        cohort: title of the cohort; panels of one cohort share a row.
        loss: name of the loss; panels of one loss share a column.
        coords: (N, 2) points.
        labels: (N,) 0 or 1.
        anchors: (2, 2) negative and positive anchor.
        synthetic: whether the cohort is synthetic.
        perplexity: that was used, or None.
        leaks: whether the setting was selected on the test stays.
    """

    cohort: str
    loss: str
    coords: np.ndarray
    labels: np.ndarray
    anchors: np.ndarray
    synthetic: bool
    perplexity: float | None = None
    leaks: bool = False


def plot_tsne(panels: Sequence[Panel], path_pdf: str | Path, path_png: str | Path) -> None:
    """Draw all panels and write them as PDF (points rasterised) and PNG; same data, same bytes.

    The picture shows one mark a stay, without axes or ids; of credentialed data it is derived data all
    the same, and stays where the data may be.

    Raises:
        UserError: no panels, two for one cell, or shapes that do not fit.
    """
    _check(panels)
    write(lambda: _draw(panels), path_pdf, path_png)


def _draw(panels: Sequence[Panel]) -> Figure:
    """Lay the panels out: cohorts in rows, losses in columns, one legend below."""
    cohorts = list(dict.fromkeys(panel.cohort for panel in panels))
    losses = sorted(dict.fromkeys(panel.loss for panel in panels), key=place)
    cells = {(panel.cohort, panel.loss): panel for panel in panels}
    width = max(PANEL * len(losses), LEGEND / 2)
    in_line = width >= LEGEND
    height = (width / len(losses) + 0.5) * len(cohorts) + (0.35 if in_line else 0.5)
    figure = new_figure(width, height)
    rows = figure.subfigures(len(cohorts), 1, squeeze=False)[:, 0]
    for row, cohort in zip(rows, cohorts, strict=True):
        title = _title([panel for panel in panels if panel.cohort == cohort], row.bbox.width / figure.dpi)
        row.suptitle(title, x=0.01, ha="left", fontsize=8, fontweight="bold")
        axes = row.subplots(1, len(losses), squeeze=False)[0]
        for axis, loss in zip(axes, losses, strict=True):
            axis.set(xticks=[], yticks=[])
            axis.set_title(shown_system(loss), fontsize=8)
            if (cohort, loss) in cells:
                _panel(axis, cells[cohort, loss])
            else:
                axis.text(0.5, 0.5, "not available", ha="center", va="center", transform=axis.transAxes)
    place_below = {"loc": "outside lower center", "ncols": 4 if in_line else 2}
    figure.legend(handles=_legend(), frameon=False, handletextpad=0.3, columnspacing=1.2, **place_below)
    return figure


def _panel(axis: Axes, panel: Panel) -> None:
    """Draw points, the rarer positives over the negatives, and the anchors over all."""
    size = float(np.clip(4000 / max(1, len(panel.labels)), 3, 22))
    positive = panel.labels == 1
    style = {"s": size, "rasterized": True, "zorder": 2}
    axis.scatter(*panel.coords[~positive].T, marker="o", color=BLUE, alpha=0.45, linewidths=0, **style)
    axis.scatter(*panel.coords[positive].T, marker="x", color=ORANGE, alpha=0.9, linewidths=0.8, **style)
    for marker, (x, y) in zip("oX", panel.anchors, strict=True):
        axis.scatter(x, y, marker=marker, s=85, color=RED, edgecolors="white", linewidths=1.0, zorder=4)
    axis.margins(0.06)
    axis.set_aspect("equal", adjustable="datalim")


def _title(panels: list[Panel], width: float) -> str:
    """Name the cohort, label synthetic data, and give n and how many are positive; ``width`` in inches."""
    sizes = {(len(panel.labels), int((panel.labels == 1).sum())) for panel in panels}
    used = sorted({panel.perplexity for panel in panels if panel.perplexity is not None})
    details = [f"n = {n:,}, {positives:,} positive" for n, positives in sorted(sizes)]
    details += ["perplexity " + ", ".join(f"{value:.3g}" for value in used)] if used else []
    details += [SELECTED_ON_TEST] * any(panel.leaks for panel in panels)
    return titled(panels[0].cohort, panels[0].synthetic, details, width)


def _legend() -> list[Line2D]:
    point = {"linestyle": "none"}
    anchor = {"linestyle": "none", "color": RED, "markersize": 9, "markeredgecolor": "white"}
    return [
        Line2D([], [], marker="x", color=ORANGE, markersize=5, label="positive", **point),
        Line2D([], [], marker="o", color=BLUE, markersize=4, label="negative", **point),
        Line2D([], [], marker="X", label="positive anchor", **anchor),
        Line2D([], [], marker="o", label="negative anchor", **anchor),
    ]


def _check(panels: Sequence[Panel]) -> None:
    if not panels:
        raise UserError("The figure has no panels: no embeddings were given.")
    problems, seen = [], set()
    for panel in panels:
        where = f"{panel.cohort}, {panel.loss}"
        shapes = np.shape(panel.coords), np.shape(panel.labels), np.shape(panel.anchors)
        n = shapes[0][0] if shapes[0] else 0
        if shapes != ((n, 2), (n,), (2, 2)):
            problems.append(f"{where}: coords (N, 2), labels (N,) and anchors (2, 2) expected, got {shapes}.")
        elif not np.isin(panel.labels, (0, 1)).all():
            problems.append(f"{where}: labels other than 0 and 1.")
        if (panel.cohort, panel.loss) in seen:
            problems.append(f"{where}: two panels for one place.")
        seen.add((panel.cohort, panel.loss))
    refuse(problems, "The figure cannot be drawn:")
