"""The figure of the shortlist: what re-ranking more codes of the first stage gains, and the ceiling over it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from clinbench.errors import UserError, refuse
from clinbench.reporting.names import shown_row
from clinbench.reporting.style import GREY, panel_grid, titled, write

WIDTH, HEIGHT = 3.3, 2.9  # of a panel, inches
METRICS = {"recall": ("first code right", "#0072b2", "o"), "map10": ("MAP@10", "#d55e00", "s")}


@dataclass(frozen=True)
class Shortlist:
    """One panel: a re-ranker on one benchmark, exact codes.

    Attributes:
        benchmark: its title.
        synthetic: whether its mentions are synthetic.
        system, model: name of the re-ranker and of its encoder, or "".
        first: name of the system whose ranking it re-ranks.
        n: test mentions.
        sizes: (K,) lengths of the shortlist, rising.
        ceiling: (K,) share of mentions whose code the first stage has within the shortlist.
        scores: each of ``METRICS`` to (K,) scores after re-ranking.
        unranked: each of ``METRICS`` to the first stage's own score.
    """

    benchmark: str
    synthetic: bool
    system: str
    model: str
    first: str
    n: int
    sizes: Sequence[int]
    ceiling: Sequence[float]
    scores: Mapping[str, Sequence[float]]
    unranked: Mapping[str, float]


def plot_shortlists(panels: Sequence[Shortlist], path_pdf: str | Path, path_png: str | Path) -> None:
    """Draw one panel a re-ranker and write PDF and PNG; same data, same bytes.

    Raises:
        UserError: no panels, or shapes and numbers that do not fit.
    """
    _check(panels)
    write(lambda: _draw(panels), path_pdf, path_png)


def _draw(panels: Sequence[Shortlist]) -> Figure:
    figure, axes = panel_grid(len(panels), (WIDTH, HEIGHT), alone=0.9, below=0.8)
    head = panels[0]
    title = titled(head.benchmark, head.synthetic, [f"n = {head.n:,} mentions"], figure.get_figwidth())
    figure.suptitle(title, x=0.01, ha="left", fontsize=8, fontweight="bold")
    for axis, panel in zip(axes, panels, strict=True):
        system = f"{shown_row(panel.system, panel.model)} over {shown_row(panel.first, '')}"
        axis.set_title(system, loc="left", fontsize=8)
        _panel(axis, panel)
    figure.legend(handles=_legend(), loc="outside lower center", ncols=2, frameon=False, handlelength=2.8)
    return figure


def _panel(axis: Axes, panel: Shortlist) -> None:
    axis.set_xscale("log")
    axis.plot(panel.sizes, panel.ceiling, color=GREY, linestyle=(0, (4, 1.5)), linewidth=1.2, zorder=2)
    for metric, (_, colour, marker) in METRICS.items():
        style = {"color": colour, "linewidth": 1.2, "markersize": 4.5}
        axis.plot(panel.sizes, panel.scores[metric], marker=marker, zorder=3, **style)
        axis.axhline(panel.unranked[metric], color=colour, linewidth=0.9, linestyle=":", zorder=1)
    axis.set(xlabel="codes re-ranked", ylabel="score, exact code")
    axis.set_xticks(panel.sizes, [f"{size:,}" for size in panel.sizes])
    axis.set_xticks([], minor=True)
    top = max([*panel.ceiling, *(max(values) for values in panel.scores.values()), *panel.unranked.values()])
    axis.set_ylim(0, min(1.0, max(0.1, 1.08 * top)) if top < 1 else 1.02)
    axis.margins(x=0.05)
    axis.tick_params(labelsize=7)
    axis.grid(axis="y", color="#e4e4e4", linewidth=0.5)
    axis.set_axisbelow(True)


def _legend() -> list[Line2D]:
    scores = [
        Line2D([], [], color=colour, marker=marker, markersize=4.5, linewidth=1.2, label=name)
        for name, colour, marker in METRICS.values()
    ]
    dashed = {"color": GREY, "linestyle": (0, (4, 1.5)), "linewidth": 1.2}
    ceiling = Line2D([], [], label="its ceiling: right code in the shortlist", **dashed)
    dotted = Line2D([], [], label="without re-ranking", color="#222222", linestyle=":", linewidth=0.9)
    return [scores[0], ceiling, scores[1], dotted]  # the ceiling below what it bounds


def _check(panels: Sequence[Shortlist]) -> None:
    if not panels:
        raise UserError("The figure of the shortlist has no panels: no selected system re-ranks another.")
    problems = []
    if len({(panel.benchmark, panel.n) for panel in panels}) > 1:
        problems.append("panels of several benchmarks; each has a figure of its own.")
    for panel in panels:
        where = f"{panel.benchmark}, {panel.system}"
        if set(panel.scores) != set(METRICS) or set(panel.unranked) != set(METRICS):
            problems.append(f"{where}: scores of {', '.join(METRICS)} expected.")
        curves = {"ceiling": panel.ceiling, **panel.scores}
        for name, values in curves.items():
            values = np.asarray(values, dtype=np.float64)
            if values.shape != (len(panel.sizes),) or not values.size:
                problems.append(f"{where}: '{name}' has shape {values.shape}, sizes ({len(panel.sizes)},).")
            elif not ((values >= 0) & (values <= 1)).all():
                problems.append(f"{where}: '{name}' holds a score outside 0 to 1.")
        if list(panel.sizes) != sorted(set(panel.sizes)):
            problems.append(f"{where}: sizes must rise.")
    refuse(problems, "The figure of the shortlist cannot be drawn:")
