"""The table of the learning curves: the selected epoch beside the last one, which nobody selected."""

from collections.abc import Mapping, Sequence

import numpy as np

from clinbench.reporting.cells import count, number
from clinbench.reporting.leak_table import ON_TEST
from clinbench.reporting.names import METRICS, shown_model, shown_system
from clinbench.reporting.plain import Kind, Shown, lay_out
from clinbench.reporting.published_studies import epochs, source
from clinbench.reporting.searches import Searched, pooled
from clinbench.reporting.table import Table

THEIRS = ("val", "val_last", "test", "test_last")


def learning_curves(rows: Sequence[dict], facts: Mapping[str, dict], runs: Sequence[dict]) -> Table:
    """Build the table of what training past the selected epoch costs (risk.md §4.3).

    Args:
        rows: as ``searches.pooled``.
        facts, runs: as ``plain.lay_out``.

    Raises:
        UserError: as ``searches.pooled`` and ``plain.lay_out``.
    """
    searches = pooled(rows)
    leaks = [ON_TEST] * any(one.leaks for one in searches)
    return lay_out(LEARNING_CURVES, [_line(one) for one in searches], facts, runs, leaks)


def _line(one: Searched) -> dict:
    """Return means over the trainings of a row whose selected and last epoch have a score."""
    scored = [each["epochs"] for each in one.trainings]
    pairs = [
        (scores[each["epoch"] - 1], scores[-1])
        for scores, each in zip(scored, one.trainings, strict=True)
        if None not in (scores[each["epoch"] - 1], scores[-1])
    ]
    chosen, last = np.mean(pairs, axis=0).tolist() if pairs else (None, None)
    lengths, kept = [len(scores) for scores in scored], [each["epoch"] for each in one.trainings]
    theirs = epochs(one.task, one.model, one.system) if one.metric == "auroc" else {}
    return {
        **{key: getattr(one, key) for key in ("dataset", "task", "model", "system", "metric", "selection")},
        "n": one.held_out,
        "trainings": len(one.trainings),
        "epoch": float(np.median(kept)),
        **{"epoch_min": min(kept), "epoch_max": max(kept), "epochs": max(lengths)},
        **{"selected": chosen, "last": last, "change": None if chosen is None else last - chosen},
        "test": float(one.on_test[0]) if len(one.scores) else None,
        **{f"published_{key}": theirs.get(key) for key in THEIRS},
    }


def _epoch(row: dict) -> str:
    return f"{row['epoch']:g} [{row['epoch_min']}–{row['epoch_max']}] of {row['epochs']}"


def _detail(row: dict) -> str:
    metric = METRICS.get(row["metric"], row["metric"])
    return f"{shown_model(row['model'])}, {metric}, n = {count(row['n'])} {row['selection']} stays"


def _score(key: str, title: str, group: str) -> Shown:
    return Shown(title, lambda row: number(row[key]), group)


def _published(key: str, title: str) -> Shown:
    name = f"published_{key}"
    return Shown(title, lambda row: "" if row[name] is None else number(row[name]), PUBLISHED)


OURS, PUBLISHED = "On the stays that selected", "Published, on MIMIC-III"
LEARNING_CURVES = Kind(
    name="learning-curves",
    title="The selected epoch and the last one",
    keys=(
        *("dataset", "task", "model", "system", "metric", "selection", "n", "trainings"),
        *("epoch", "epoch_min", "epoch_max", "epochs", "selected", "last", "change", "test"),
        *(f"published_{key}" for key in THEIRS),
    ),
    block=("dataset", "model"),
    corner="Loss",
    label=lambda row: shown_system(row["system"]),
    columns=(
        Shown("Trainings", lambda row: count(row["trainings"])),
        Shown("Selected epoch", _epoch),
        _score("selected", "Selected", OURS),
        _score("last", "Last", OURS),
        _score("change", "Change", OURS),
        _score("test", "Selected", "Test"),
        _published("val", "Val., selected"),
        _published("val_last", "Val., last"),
        _published("test", "Test, selected"),
        _published("test_last", "Test, last"),
    ),
    detail=_detail,
    note="Means over all trainings of a loss, whatever their setting, initialisation and seed; the epoch is the "
    "median, with its range. The score of a selected epoch is the best of all epochs, hence optimistic on the stays "
    "that selected; the last epoch's is not. Test is of the selected epoch; weights of the last one are not kept. "
    f"Published: {source()}, its one selected training of each row, last epoch 100.",
    tall=True,
)
