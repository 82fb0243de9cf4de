"""The figure of the learning curves: the score that selects after each epoch, for each loss."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from clinbench.reporting.admission import plugin_facts
from clinbench.reporting.names import METRICS, shown_model
from clinbench.reporting.searches import Searched, by_block, pooled
from clinbench.reporting.sizes import size_text
from clinbench.reporting.style import SELECTED_ON_TEST, legend, line_styles, panel_grid, titled, write

WIDTH, HEIGHT = 3.4, 3.0  # of a panel, inches
NOTE = (
    "line: mean over a loss's trainings (settings, initialisations, seeds); band: their range\n"
    "large mark: mean of the selected epochs and of their scores\nearly epochs may lie below the axis"
)


def plot_learning_curves(rows: Sequence[dict], path_pdf: str | Path, path_png: str | Path) -> None:
    """Draw one panel a cohort: a line a loss, up to the last epoch, which nobody selected (risk.md §4.3).

    Args:
        rows: as ``searches.pooled``, of one model.
        path_pdf, path_png: written; same data, same bytes.

    Raises:
        UserError: as ``searches.pooled``.
    """
    blocks = list(by_block(pooled(rows)).values())
    write(lambda: _draw(blocks), path_pdf, path_png)


def curves(one: Searched) -> np.ndarray:
    """Return (M, E) the score after each epoch of each training, NaN where undefined or past its last epoch."""
    longest = max(len(each["epochs"]) for each in one.trainings)
    padded = [each["epochs"] + [None] * (longest - len(each["epochs"])) for each in one.trainings]
    return np.array(padded, dtype=np.float64)


def _draw(blocks: Sequence[Sequence[Searched]]) -> Figure:
    """Lay out up to two panels side by side, and one legend below."""
    styles = line_styles([one.system for block in blocks for one in block])
    figure, axes = panel_grid(len(blocks), (WIDTH, HEIGHT), alone=0.7, below=0.95)
    for axis, block in zip(axes, blocks, strict=True):
        _panel(axis, block, styles)
    legend(figure, styles, NOTE)
    return figure


def _panel(axis: Axes, block: Sequence[Searched], styles: dict[str, dict]) -> None:
    """Draw band, mean and selected epoch of each row."""
    first, facts = block[0], plugin_facts(block[0].dataset)
    trainings = f"{min(len(one.trainings) for one in block)} trainings a loss"
    details = [shown_model(first.model), size_text(first.held_out, {}, f"{first.selection} stays"), trainings]
    details += [SELECTED_ON_TEST] * first.leaks
    title = titled(str(facts["title"]), facts["synthetic"], details, WIDTH - 0.4)
    axis.set_title(title, loc="left", fontsize=8, fontweight="bold")
    metric = METRICS.get(first.metric, first.metric)
    axis.set(xlabel="Epoch", ylabel=f"{first.selection.capitalize()} {metric}")
    for one in block:
        _row(axis, one, styles[one.system])
    axis.set_ylim(bottom=_floor(block))
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.tick_params(labelsize=7)
    axis.grid(axis="y", color="#e4e4e4", linewidth=0.5)
    axis.set_axisbelow(True)


def _floor(block: Sequence[Searched]) -> float | None:
    """Return where the axis starts: below all scores after a fifth of the epochs, so that late ones are told apart."""
    late = np.concatenate([curves(one)[:, curves(one).shape[1] // 5 :].ravel() for one in block])
    late = late[np.isfinite(late)]
    return late.min() - 0.1 * np.ptp(late) if np.ptp(late) else None


def _row(axis: Axes, one: Searched, style: dict) -> None:
    scores = np.ma.masked_invalid(curves(one))
    at = np.arange(1, scores.shape[1] + 1)
    low, mean, high = (np.ma.filled(each, np.nan) for each in (scores.min(0), scores.mean(0), scores.max(0)))
    axis.fill_between(at, low, high, color=style["color"], alpha=0.1, linewidth=0)
    axis.plot(at, mean, zorder=3, **style | {"marker": None})
    kept = [(each["epoch"], each["epochs"][each["epoch"] - 1]) for each in one.trainings]
    kept = [pair for pair in kept if pair[1] is not None]
    if kept:
        axis.plot(*np.mean(kept, axis=0), zorder=4, **style | {"linestyle": "", "markersize": 6.5})
