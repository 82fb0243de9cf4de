"""The two tables of trainings: which setting each row chose, and how long its steps take."""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from clinbench.errors import refuse
from clinbench.reporting.cells import UNDEFINED, count, number
from clinbench.reporting.names import METRICS, place, shown_model, shown_system
from clinbench.reporting.plain import Kind, Shown, lay_out
from clinbench.reporting.published_studies import chosen, source
from clinbench.reporting.table import Table


def selected_settings(rows: Sequence[dict], facts: Mapping[str, dict], runs: Sequence[dict]) -> Table:
    """Build the table of chosen settings, each beside the one published for its row.

    Args:
        rows: one a row of the metrics table and seed: ``dataset``, ``task``, ``model``, ``system``, ``seed``;
            ``scr_weight`` (λ), ``batch_size``, ``init``, ``epoch`` (None where a row has none); ``metric``
            and ``score`` of the selection; ``n`` (validation stays); ``selection`` (how it was selected,
            words); ``other`` (settings without a column, words, or "").
        facts, runs: as ``plain.lay_out``.

    Raises:
        UserError: as ``plain.lay_out``.
    """
    ordered = sorted(rows, key=lambda row: place(row.get("system", "")))
    leaks = any(re.search(r"\btest\b", str(row.get("selection")), re.IGNORECASE) for row in rows)
    warnings = ["Selected on the test set, hence optimistic."] if leaks else []
    seen, beside = set(), []
    for row in ordered:  # a published setting stands beside the first seed of its row
        place_of = tuple(row.get(key) for key in ("dataset", "model", "system"))
        beside.append(row | (_published({}) if place_of in seen else _published(row)))
        seen.add(place_of)
    return lay_out(SELECTED_SETTINGS, beside, facts, runs, warnings)


def running_time(rows: Sequence[dict], facts: Mapping[str, dict], runs: Sequence[dict]) -> Table:
    """Build the table of running times, each as a ratio to BCE in the same round.

    Args:
        rows: one a loss: ``dataset``, ``model``, ``system``; ``ratios`` (R,), the time of its step over that
            of bce in each round; ``batch_size``; ``device``; ``n`` (training stays).
        facts, runs: as ``plain.lay_out``.

    Raises:
        UserError: as ``plain.lay_out``; or a row has no ratios.
    """
    empty = (f"'{row.get('system')}'." for row in rows if not len(row.get("ratios", ())))
    refuse(empty, "Running times need ratios of at least one round; these rows have none:")
    counted = []
    for row in sorted(rows, key=lambda row: place(row.get("system", ""))):
        low, median, high = map(float, np.percentile(row["ratios"], [25, 50, 75]))
        numbers = {"median": median, "low": low, "high": high, "rounds": len(row["ratios"])}
        counted.append({key: value for key, value in row.items() if key != "ratios"} | numbers)
    return lay_out(RUNNING_TIME, counted, facts, runs)


def _published(row: dict) -> dict:
    """Return the published setting of a row's name, with the score of the row's own metric."""
    theirs = chosen(row.get("task", ""), row.get("model", ""), row.get("system", ""))
    found = {key: theirs.get(key) for key in ("scr_weight", "batch_size", "epoch")}
    found["score"] = theirs.get("scores", {}).get(row.get("metric"))
    return {f"published_{key}": value for key, value in found.items()}


def _text(key: str, shown: Callable[[object], str], title: str, group: str = "") -> Shown:
    unknown = "" if group == THEIRS else UNDEFINED
    return Shown(title, lambda row: unknown if row[key] is None else shown(row[key]), group)


def _chosen_detail(row: dict) -> str:
    metric = METRICS.get(row["metric"], row["metric"])
    stays = f"n = {count(row['n'])} {row['selection'].split()[0]} stays"
    return f"{shown_model(row['model'])}, scored by {metric} of {stays}"


SETTING = ("scr_weight", "batch_size", "epoch", "score")
OURS, THEIRS = "Selected here", "Published, on MIMIC-III"
SELECTED_SETTINGS = Kind(
    name="selected-settings",
    title="Selected settings",
    keys=(
        *("dataset", "task", "model", "system", "seed", "scr_weight", "batch_size", "init", "epoch"),
        *("metric", "score", "n", "selection", "other", *(f"published_{key}" for key in SETTING)),
    ),
    block=("dataset", "model"),
    corner="Loss",
    label=lambda row: shown_system(row["system"]),
    columns=(
        _text("seed", str, "Seed"),
        _text("scr_weight", "{:g}".format, "λ", OURS),
        _text("batch_size", "{:,}".format, "Batch", OURS),
        _text("init", str, "Init.", OURS),
        _text("epoch", str, "Epoch", OURS),
        _text("score", number, "Score", OURS),
        _text("published_scr_weight", "{:g}".format, "λ", THEIRS),
        _text("published_batch_size", "{:,}".format, "Batch", THEIRS),
        _text("published_epoch", str, "Epoch", THEIRS),
        _text("published_score", number, "Score", THEIRS),
    ),
    detail=_chosen_detail,
    note=f"Score is on the stays that selected. Published settings are those of {source()}, which appear to be "
    "chosen on the test set; its code scales SCR by 1/0.7 and CBCE by 1/2, so that with the presets clean and "
    "paper its λ acts like 1.43 times as much, 2.86 times with CBCE.",
    footnote=lambda row: f"{shown_system(row['system'])}: {row['other']}" * bool(row["other"]),
    tall=True,
)
RUNNING_TIME = Kind(
    name="running-time",
    title="Running time of a training step, relative to BCE",
    keys=("dataset", "model", "system", "median", "low", "high", "rounds", "batch_size", "device", "n"),
    block=("dataset", "model"),
    corner="Loss",
    label=lambda row: shown_system(row["system"]),
    columns=(
        _text("median", "{:.2f}".format, "Ratio"),
        Shown("Quartiles", lambda row: f"[{row['low']:.2f}, {row['high']:.2f}]"),
        _text("rounds", "{:,}".format, "Rounds"),
        _text("batch_size", "{:,}".format, "Batch"),
        _text("device", str, "Device"),
    ),
    detail=lambda row: f"{shown_model(row['model'])}, n = {count(row['n'])} training stays",
    note="Ratio is the median over rounds of the time of a loss's step to that of BCE in the same round, with "
    "the first and third quartile: all losses take turns in one run, so that the machine cancels out.",
)
