"""The figure of λ: how the validation score depends on the weight of SCR."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from clinbench.errors import UserError, refuse
from clinbench.reporting.cells import count
from clinbench.reporting.names import METRICS, shown_model
from clinbench.reporting.style import GREY, SELECTED_ON_TEST, legend, line_styles, panel_grid, titled, write

WIDTH, HEIGHT = 3.3, 2.7  # of a panel, inches
TICK_GAP = 0.17  # least distance of labelled λ, share of the axis


@dataclass(frozen=True)
class Sensitivity:
    """One panel: every training of a table on one cohort.

    Attributes:
        cohort: its title.
        synthetic: whether it is synthetic.
        model: name of the table's model.
        metric: that selects, such as "auroc" or "micro_auroc".
        n: stays that selected.
        leaks: whether those are the test stays, not the validation stays.
        points: row to (M, 2): λ and validation score of each of its M trainings, whatever their batch size,
            initialisation and seed.
    """

    cohort: str
    synthetic: bool
    model: str
    metric: str
    n: int | str
    points: Mapping[str, np.ndarray]
    leaks: bool = False


def plot_scr_weights(panels: Sequence[Sensitivity], path_pdf: str | Path, path_png: str | Path) -> None:
    """Draw one panel a cohort: small points are trainings, marks on lines their mean at one λ.

    λ = 0 stands apart on the left of a logarithmic axis; a row with nothing but λ = 0 is drawn on as a
    level. Written as PDF and PNG; same data, same bytes.

    Raises:
        UserError: no panels or trainings, or shapes and numbers that do not fit.
    """
    _check(panels)
    write(lambda: _draw(panels), path_pdf, path_png)


def _draw(panels: Sequence[Sensitivity]) -> Figure:
    """Lay out up to two panels side by side, and one legend below."""
    styles = line_styles([system for panel in panels for system in panel.points])
    figure, axes = panel_grid(len(panels), (WIDTH, HEIGHT), alone=0.7, below=0.75)
    for axis, panel in zip(axes, panels, strict=True):
        stays = "test" if panel.leaks else "validation"
        details = [shown_model(panel.model), f"n = {count(panel.n)} {stays} stays"]
        details += [SELECTED_ON_TEST] * panel.leaks
        title = titled(panel.cohort, panel.synthetic, details, WIDTH - 0.4)
        axis.set_title(title, loc="left", fontsize=8, fontweight="bold")
        axis.set(xlabel="λ of SCR", ylabel=f"{stays.capitalize()} {METRICS.get(panel.metric, panel.metric)}")
        _panel(axis, panel, styles)
    legend(figure, styles, "dots: single trainings; marks: their mean at one λ")
    return figure


def _panel(axis: Axes, panel: Sensitivity, styles: dict[str, dict]) -> None:
    """Draw all rows of a panel on a logarithmic axis with a place for λ = 0."""
    weights = np.unique(np.concatenate([np.asarray(points)[:, 0] for points in panel.points.values()]))
    positive = weights[weights > 0]
    span = np.log10(positive[-1] / positive[0]) if positive.size else 0.0
    zero = positive[0] / 10 ** max(0.25, 0.2 * span) if positive.size else 1.0
    axis.set_xscale("log")
    shown = [system for system in styles if system in panel.points]
    for at, system in enumerate(shown):
        shift = 10 ** ((at - (len(shown) - 1) / 2) * 0.012 * max(span, 1))  # rows beside each other
        points = np.asarray(panel.points[system], dtype=np.float64)
        x = np.where(points[:, 0] > 0, points[:, 0], zero) * shift
        style, colour = styles[system], styles[system]["color"]
        axis.scatter(x, points[:, 1], s=5, color=colour, alpha=0.45, linewidths=0, zorder=2)
        used = np.unique(points[:, 0])
        means = np.array([points[points[:, 0] == weight, 1].mean() for weight in used])
        apart = used == 0
        axis.plot(np.full(apart.sum(), zero) * shift, means[apart], zorder=4, **style)
        axis.plot(used[~apart] * shift, means[~apart], zorder=3, **style)
        if apart.all() and positive.size:
            axis.plot([zero * shift, positive[-1]], [means[0]] * 2, zorder=1, **style | {"marker": None})
    _ticks(axis, positive, zero, bool((weights == 0).any()))


def _ticks(axis: Axes, positive: np.ndarray, zero: float, with_zero: bool) -> None:
    """Label λ = 0, the least and the greatest λ, and as many between them as there is room for."""
    labelled = list(positive[:1])
    gap = TICK_GAP * np.log10(positive[-1] / zero) if positive.size else 0.0
    for weight in positive[1:-1]:
        room = min(np.log10(weight / labelled[-1]), np.log10(positive[-1] / weight))
        labelled += [weight] if room >= gap else []
    labelled += list(positive[1:][-1:])
    places = [zero, *labelled] if with_zero else labelled
    names = ["0", *(f"{weight:g}" for weight in labelled)] if with_zero else [f"{w:g}" for w in labelled]
    axis.set_xticks(places, names)
    axis.set_xticks(positive, minor=True, labels=[""] * len(positive))
    axis.tick_params(labelsize=7)
    if with_zero and positive.size:
        axis.axvline(np.sqrt(zero * positive[0]), color=GREY, linewidth=0.6, linestyle=":")
    axis.margins(x=0.06, y=0.08)
    axis.grid(axis="y", color="#e4e4e4", linewidth=0.5)
    axis.set_axisbelow(True)


def _check(panels: Sequence[Sensitivity]) -> None:
    if not panels:
        raise UserError("The figure of λ has no panels: no trainings were given.")
    problems = []
    for panel in panels:
        problems += [f"{panel.cohort}: no rows."] * (not panel.points)
        for system, points in panel.points.items():
            points = np.asarray(points, dtype=np.float64)
            where = f"{panel.cohort}, {system}"
            if points.ndim != 2 or points.shape[1] != 2 or not len(points):
                problems.append(f"{where}: (M, 2) of λ and score expected, got {points.shape}.")
            elif not np.isfinite(points).all() or (points[:, 0] < 0).any():
                problems.append(f"{where}: a λ below 0, or a number that is not finite.")
    refuse(problems, "The figure of λ cannot be drawn:")
