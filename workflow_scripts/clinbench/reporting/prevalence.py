"""The figure of the imbalance study: test score against the share of positives trained on."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from clinbench.errors import UserError
from clinbench.governance import HIDDEN
from clinbench.reporting.admission import Admitted, Record, admit, defined
from clinbench.reporting.names import METRICS, shown_model
from clinbench.reporting.sizes import size_text
from clinbench.reporting.studies import DRAW, imbalance
from clinbench.reporting.style import GREY, SELECTED_ON_TEST, legend, line_styles, panel_grid, titled, write

WIDTH, HEIGHT = 3.4, 3.1  # of a panel, inches


@dataclass
class Panel:
    """One cohort and model.

    Attributes:
        title: cohort, synthetic label, model, n, positives and seeds.
        shares: level to the share of positives trained on, 0 to 1.
        rows: row to level to its mean and the scores of its draws.
        skipped: level to why it was not run.
    """

    title: str
    shares: dict[str, float]
    rows: dict[str, dict[str, tuple[float, list[float]]]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


def plot_imbalance(
    records: Sequence[Record], path_pdf: str | Path, path_png: str | Path, metric: str = "auroc"
) -> None:
    """Draw one panel a cohort: a line a row, a band over its draws of the training stays.

    Args:
        records: those of the imbalance table (``studies.imbalance``), with the fact ``train_sizes``; absent
            items with ``level`` are the levels that were skipped.
        path_pdf, path_png: written; same records, same bytes.
        metric: "auroc" or "average_precision".

    Raises:
        UserError: what ``admit`` refuses; no rows of the metric; or the size of the full training set is
            not told.
    """
    levels = dict.fromkeys(row.get("level") for record in records for row in record.get("rows", []))
    taken = admit(records, imbalance([str(level) for level in levels] or [""]))
    panels = _panels(taken, metric)
    write(lambda: _draw(panels, metric), path_pdf, path_png)


def _panels(taken: Admitted, metric: str) -> list[Panel]:
    """Sort rows and skipped levels into panels."""
    panels: dict[tuple, Panel] = {}
    for row in taken.rows:
        if row["metric"] != metric or not defined(row["value"]):
            continue
        key = (row["dataset"], row["model"])
        panel = panels.setdefault(key, Panel(_title(row, taken), {}))
        level = row["level"]
        panel.shares[level] = _share(level, taken.datasets[row["dataset"]], row["dataset"])
        at_level = panel.rows.setdefault(row["system"], {})
        mean, draws = at_level.get(level, (np.nan, []))
        if row["subset"] == "all":
            mean = row["value"]
        elif row["subset"].startswith(f"{DRAW} "):
            draws = [*draws, row["value"]]
        at_level[level] = mean, draws
    for item in taken.absent:
        panel = panels.get((item["dataset"], item["model"]))
        if panel and "level" in item:
            panel.shares[item["level"]] = _share(
                item["level"], taken.datasets[item["dataset"]], item["dataset"]
            )
            panel.skipped[item["level"]] = item["reason"]
    if not panels:
        raise UserError(f"The imbalance figure was given no numbers of {METRICS.get(metric, metric)}.")
    return list(panels.values())


def _share(level: str, facts: dict, dataset: str) -> float:
    """Return the share of positives of a level; that of "all" is counted."""
    if level != "all":
        return float(level)
    sizes = (facts.get("train_sizes") or {}).get("all")
    if not sizes:
        raise UserError(f"data set '{dataset}': give train_sizes of 'all', to place it on the axis.")
    if HIDDEN in (sizes["positives"][0], sizes["n"][0]):
        raise UserError(
            f"data set '{dataset}' is credentialed and has too few training stays or positives to tell their "
            "share: take imbalance out of risk.studies."
        )
    return sizes["positives"][0] / sizes["n"][0]


def _title(row: dict, taken: Admitted) -> str:
    facts = taken.datasets[row["dataset"]]
    alone = {key: facts.get(key) for key in ("positives",)}
    seeds = f"{row['seeds']} seed{'s' * (row['seeds'] != 1)}"
    details = [shown_model(row["model"]), size_text(row["n"], alone, "test stays"), seeds]
    details += [SELECTED_ON_TEST] * str(row["selection"]).startswith("test")
    return titled(str(facts["title"]), facts["synthetic"], details, WIDTH - 0.4)


def _draw(panels: Sequence[Panel], metric: str) -> Figure:
    """Lay out up to two panels side by side, and one legend below."""
    styles = line_styles([system for panel in panels for system in panel.rows])
    figure, axes = panel_grid(len(panels), (WIDTH, HEIGHT), alone=0.7, below=0.75)
    for axis, panel in zip(axes, panels, strict=True):
        axis.set_title(panel.title, loc="left", fontsize=8, fontweight="bold")
        axis.set(xlabel="Positives among the training stays", ylabel=f"Test {METRICS.get(metric, metric)}")
        _panel(axis, panel, styles)
    legend(figure, styles, "line: mean over draws of the training stays and seeds; band and dots: the draws")
    return figure


def _panel(axis: Axes, panel: Panel, styles: dict[str, dict]) -> None:
    """Draw the bands, the draws, the means over them, and a word where a level was skipped."""
    axis.set_xscale("log")
    shown = [system for system in styles if system in panel.rows]
    for at, system in enumerate(shown):
        shift = 10 ** ((at - (len(shown) - 1) / 2) * 0.03)  # rows beside each other
        levels = sorted(panel.rows[system], key=panel.shares.get)
        x = np.array([panel.shares[level] for level in levels]) * shift
        means = np.array([panel.rows[system][level][0] for level in levels])
        draws = [panel.rows[system][level][1] or [mean] for level, mean in zip(levels, means, strict=True)]
        style, colour = styles[system], styles[system]["color"]
        axis.fill_between(
            x, list(map(min, draws)), list(map(max, draws)), color=colour, alpha=0.13, linewidth=0
        )
        for place, scores in zip(x, draws, strict=True):
            dots = {"s": 5, "color": colour, "alpha": 0.55, "linewidths": 0, "zorder": 2}
            axis.scatter([place] * len(scores), scores, **dots)
        axis.plot(x, means, zorder=3, **style)
    ordered = sorted(panel.shares, key=panel.shares.get)
    # The full set's share may lie close to a level's: it stands a line below.
    names = ["\n" * (level == "all") + f"{100 * panel.shares[level]:.3g} %" for level in ordered]
    names = [name + " (all)" * (level == "all") for name, level in zip(names, ordered, strict=True)]
    axis.set_xticks([panel.shares[level] for level in ordered], names)
    axis.set_xticks([], minor=True)
    axis.tick_params(labelsize=7)
    axis.margins(x=0.08, y=0.08)
    axis.grid(axis="y", color="#e4e4e4", linewidth=0.5)
    axis.set_axisbelow(True)
    for level, reason in panel.skipped.items():
        axis.axvline(panel.shares[level], color=GREY, linewidth=0.6, linestyle=":", zorder=0)
        words = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": 6.5, "color": GREY}
        text = textwrap.fill(f"skipped: {reason}", 36, max_lines=3, placeholder=" …")
        under = {"boxstyle": "square,pad=0.2", "facecolor": "white", "edgecolor": "none"}
        frame = axis.get_xaxis_transform()
        axis.text(panel.shares[level], 0.03, text, transform=frame, bbox=under, in_layout=False, **words)
