"""The reliability figure: what was predicted against what was observed, a panel for each row of a table."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from clinbench.errors import UserError
from clinbench.reporting.admission import Admitted, Record, admit, defined
from clinbench.reporting.cells import number
from clinbench.reporting.layouts import CALIBRATION
from clinbench.reporting.names import place, shown_model, shown_system
from clinbench.reporting.sizes import size_text
from clinbench.reporting.style import GREY, SELECTED_ON_TEST, line_styles, new_figure, titled, write

ACROSS = 3  # panels side by side
SIDE = 2.1  # of a panel, inches
ROOM = 1.08  # of the axes, beyond the greatest number drawn


def plot_reliability(records: Sequence[Record], path_pdf: str | Path, path_png: str | Path) -> None:
    """Draw a block of panels for each cohort, all axes of a block alike; same records, same bytes.

    A mark is a bin: its mean probability, and the share of positives with its 95 % interval. Bins whose share is
    hidden are not drawn.

    Args:
        records: those of the calibration table, with the ``bins`` of ``evaluation.calibration_rows``.
        path_pdf, path_png: written.

    Raises:
        UserError: what ``admit`` refuses; or no bins are given.
    """
    taken = admit(records, CALIBRATION)
    blocks: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        row = record["rows"][0]
        blocks.setdefault((row["dataset"], row["model"]), []).append(record)
    if not any(record.get("bins") for record in records):
        raise UserError("The reliability figure was given no bins; run the evaluation of calibration again.")
    write(lambda: _draw(blocks, taken), path_pdf, path_png)


def _draw(blocks: dict[tuple[str, str], list[Record]], taken: Admitted) -> Figure:
    """Lay cohorts out below each other, up to three panels side by side."""
    columns = min(ACROSS, max(map(len, blocks.values())))
    lines = [-(-len(records) // columns) for records in blocks.values()]
    width = SIDE * max(columns, 2) + 0.5
    figure = new_figure(width, sum(SIDE * count + 0.55 for count in lines) + 0.1)
    parts = figure.subfigures(
        len(blocks), 1, squeeze=False, height_ratios=[SIDE * count + 0.55 for count in lines]
    )[:, 0]
    for part, (key, records), count in zip(parts, blocks.items(), lines, strict=True):
        part.suptitle(
            _title(records, taken.datasets[key[0]], width), x=0.01, ha="left", fontsize=8, fontweight="bold"
        )
        axes = part.subplots(count, columns, squeeze=False, sharex=True, sharey=True).ravel()
        styles = line_styles([record["rows"][0]["system"] for record in records])
        ordered = sorted(records, key=lambda record: place(record["rows"][0]["system"]))
        limit = ROOM * max(_extent(record) for record in records)
        for axis, record in zip(axes, ordered, strict=False):
            _panel(axis, record, styles[record["rows"][0]["system"]], limit)
        for axis in axes[len(ordered) :]:
            axis.set_axis_off()
        for at in range(max(0, len(ordered) - columns), len(ordered)):  # the lowest panel of each column
            axes[at].tick_params(labelbottom=True)
        part.supxlabel("Mean predicted probability of a bin; bars are 95 % intervals", fontsize=8)
        part.supylabel("Observed share of positives", fontsize=8)
    return figure


def _panel(axis: Axes, record: Record, style: dict, limit: float) -> None:
    """Draw the diagonal of perfect calibration and the marks of the bins that are shown."""
    shown = [one for one in record["bins"] if defined(one["observed"])]
    axis.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1)
    x, y = ([one[key] for one in shown] for key in ("predicted", "observed"))
    around = [[one["observed"] - one["ci_low"], one["ci_high"] - one["observed"]] for one in shown]
    bars = [[max(0.0, pair[side]) for pair in around] for side in (0, 1)]
    axis.errorbar(x, y, yerr=bars, fmt="none", ecolor=style["color"], elinewidth=0.9, alpha=0.65, zorder=2)
    axis.plot(x, y, zorder=3, **style | {"linewidth": 0.9, "markersize": 4})
    axis.set(xlim=(0, limit), ylim=(0, limit), aspect="equal")
    step = 0.2 if limit > 0.6 else 0.1 if limit > 0.25 else 0.05
    for side in (axis.xaxis, axis.yaxis):
        side.set_major_locator(MultipleLocator(step))
    axis.tick_params(labelsize=7)
    axis.set_title(shown_system(record["rows"][0]["system"]), fontsize=8)
    ece = next(row["value"] for row in record["rows"] if row["metric"] == "ece")
    axis.text(0.96, 0.04, f"ECE {number(ece)}", transform=axis.transAxes, ha="right", va="bottom", fontsize=7)
    if missing := len(record["bins"]) - len(shown):
        axis.text(0.04, 0.96, f"{missing} of {len(record['bins'])} bins hidden", transform=axis.transAxes,
                  ha="left", va="top", fontsize=6.5, color=GREY)  # fmt: skip


def _extent(record: Record) -> float:
    """Return the greatest number a panel shows."""
    return max(
        [one[key] for one in record["bins"] for key in ("predicted", "ci_high") if defined(one[key])],
        default=1.0,
    )


def _title(records: Sequence[Record], facts: dict, width: float) -> str:
    row = records[0]["rows"][0]
    bins = records[0]["facts"].get("bins")
    details = [shown_model(row["model"]), size_text(row["n"], facts, "test stays")]
    details += [f"{bins} bins of equal size"] * bool(bins)
    leaks = any(str(record["rows"][0]["selection"]).startswith("test") for record in records)
    details += [SELECTED_ON_TEST] * leaks
    return titled(str(facts["title"]), facts["synthetic"], details, width - 0.2)
