"""The table of the selection leak: the best of N trainings, picked on validation and on test."""

from collections.abc import Mapping, Sequence

import numpy as np

from clinbench.reporting.cells import count, number
from clinbench.reporting.names import METRICS, shown_model, shown_system
from clinbench.reporting.plain import Kind, Shown, lay_out
from clinbench.reporting.published_studies import gain, search_sizes, source
from clinbench.reporting.searches import Searched, by_block, in_common, pooled
from clinbench.reporting.table import Table

ON_TEST = "Epochs were selected on the test set, hence all scores are optimistic."


def selection_leak(rows: Sequence[dict], facts: Mapping[str, dict], runs: Sequence[dict]) -> Table:
    """Build the table of expected best-of-N scores, with N equal for all rows of a block (risk.md §4.4).

    Args:
        rows: as ``searches.pooled``.
        facts, runs: as ``plain.lay_out``.

    Raises:
        UserError: as ``searches.pooled`` and ``plain.lay_out``.
    """
    searches = pooled(rows)
    lines = [line for block in by_block(searches).values() for line in leak_rows(block)]
    return lay_out(SELECTION_LEAK, lines, facts, runs, [ON_TEST] * any(one.leaks for one in searches))


def leak_rows(block: Sequence[Searched]) -> list[dict]:
    """Return the line of each row of one data set and model, None where a number is not defined."""
    size, most = in_common(block), min(len(one.scores) for one in block)
    return [_line(one, size, _sizes(one, most)) for one in block]


def _sizes(one: Searched, most: int) -> tuple[int, int, int] | tuple[None, None, None]:
    """Return the published search of a row without SCR, as much as there is of one with it, and all of that."""
    published = search_sizes(one.task, one.model)
    if published is None or most <= published[0]:
        return None, None, None
    return published[0], min(published[1], most), published[1]


def _line(one: Searched, size: int, sizes: tuple[int | None, int | None, int | None]) -> dict:
    few, many, wanted = sizes
    numbers = dict.fromkeys(("single", "single_std", "on_validation", "on_test", "leak"))
    if size:
        validation, test = float(one.on_validation[size - 1]), float(one.on_test[size - 1])
        numbers = {"single": float(one.on_test[0]), "single_std": _std(one.scores[:, 1])}
        numbers |= {"on_validation": validation, "on_test": test, "leak": test - validation}
    return {
        **{
            key: getattr(one, key)
            for key in ("dataset", "task", "model", "system", "metric", "selection", "n")
        },
        "trainings": len(one.trainings),
        "compared": size,
        **numbers,
        "few": few,
        "many": many,
        "published_many": wanted,
        "search_gain": float(one.on_test[many - 1] - one.on_test[few - 1]) if many else None,
        "published_gain": gain(one.task, one.model, one.system, one.metric),
    }


def _std(scores: np.ndarray) -> float | None:
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else None


def _score(key: str, title: str, group: str = "") -> Shown:
    return Shown(title, lambda row: number(row[key]), group)


def _detail(row: dict) -> str:
    metric = METRICS.get(row["metric"], row["metric"])
    told = f"{shown_model(row['model'])}, {metric} of n = {count(row['n'])} test stays, N = {row['compared']}"
    return f"{told}; larger search: {row['many']} trainings, not {row['few']}" if row["many"] else told


def _search_gain(row: dict) -> str:
    return (
        f"≥ {number(row['search_gain'])}"
        if row["many"] != row["published_many"]
        else number(row["search_gain"])
    )


def _published(row: dict) -> str:
    return "" if row["published_gain"] is None else number(row["published_gain"])


SINGLE, BEST, ALONE = "One training", "Best of N, picked on", "Gain"
SELECTION_LEAK = Kind(
    name="selection-leak",
    title="What is gained by selecting on the test set",
    keys=(
        *("dataset", "task", "model", "system", "metric", "selection", "n", "trainings", "compared"),
        *("single", "single_std", "on_validation", "on_test", "leak"),
        *("few", "many", "published_many", "search_gain", "published_gain"),
    ),
    block=("dataset", "model"),
    corner="Loss",
    label=lambda row: shown_system(row["system"]),
    columns=(
        Shown("Trainings", lambda row: count(row["trainings"])),
        _score("single", "Mean", SINGLE),
        _score("single_std", "SD", SINGLE),
        _score("on_validation", "Validation", BEST),
        _score("on_test", "Test", BEST),
        _score("leak", "Leak", BEST),
        Shown("Larger search", _search_gain, ALONE),
        Shown("Published", _published, ALONE),
    ),
    detail=_detail,
    note="All are expected test scores: exact means over every choice of N of a loss's trainings, whatever their "
    "setting, initialisation and seed; N is the search of one seed (with "
    "one seed only, a single choice). Validation picks the training with the best "
    "validation score, Test the one with the best test score; Leak is what the latter adds to a score that could be "
    "had. Larger search is what the best test score gains by comparing as many trainings as were compared for the "
    "published rows with SCR instead of those compared for BCE (≥: fewer are there): no other loss and no better "
    f"model, only more tries on the test set. Published is the gain over BCE in {source()}, on MIMIC-III. Each "
    "training keeps one epoch, its best on the stays that selected; to choose epochs on the test set too adds to the "
    "leak.",
    tall=True,
)
