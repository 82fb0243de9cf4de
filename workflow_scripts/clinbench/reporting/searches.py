"""The trainings of each row's search, over all seeds: what validation would pick among them, and what test would."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from clinbench.errors import UserError, refuse
from clinbench.reporting.best_of import best_of
from clinbench.reporting.names import place

WHERE = ("dataset", "task", "model", "system", "metric", "selection", "n", "held_out")


@dataclass(frozen=True)
class Searched:
    """All trainings of one row: every setting, initialisation and seed.

    Attributes:
        dataset, task, model, system: as in the rows of a table.
        metric: that selects.
        selection: the stays that selected the epoch of each training, "validation" or "test".
        n, held_out: test stays; stays that selected.
        trainings: M of them, as ``risk.audit.audit`` returns them.
        seeds: that repeated the search.
    """

    dataset: str
    task: str
    model: str
    system: str
    metric: str
    selection: str
    n: int | str
    held_out: int | str
    trainings: list[dict] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)

    @cached_property
    def scores(self) -> np.ndarray:
        """Return (K, 2) of validation and test score of the trainings that have both."""
        pairs = [(one["val"][self.metric], one["test"][self.metric]) for one in self.trainings]
        return np.array([pair for pair in pairs if None not in pair], dtype=np.float64).reshape(-1, 2)

    @cached_property
    def on_validation(self) -> np.ndarray:
        """Return (K,) the expected test score of the training that validation picks among N = 1 … K."""
        return best_of(*self.scores.T) if len(self.scores) else np.empty(0)

    @cached_property
    def on_test(self) -> np.ndarray:
        """Return (K,) the expected best test score among N = 1 … K trainings."""
        return best_of(self.scores[:, 1], self.scores[:, 1]) if len(self.scores) else np.empty(0)

    @property
    def leaks(self) -> bool:
        """Tell whether epochs were selected on the test stays."""
        return self.selection == "test"


def pooled(rows: Sequence[dict]) -> list[Searched]:
    """Join the seeds of each row, in the order of tables.

    Args:
        rows: one a row and seed, as ``study_rows.search_rows`` makes them.

    Raises:
        UserError: there are none, or a row has no trainings.
    """
    if not rows:
        raise UserError("There are no audited searches to show: no rows were given.")
    empty = (f"{row['dataset']}, {row['model']}, {row['system']}." for row in rows if not row["trainings"])
    refuse(empty, "These searches have no trainings:")
    found: dict[tuple, Searched] = {}
    for row in sorted(rows, key=lambda row: place(row["system"])):
        where = tuple(row[key] for key in WHERE)
        one = found.setdefault(where, Searched(*where))
        one.trainings.extend(row["trainings"])
        one.seeds.append(row["seed"])
    return list(found.values())


def by_block(searches: Sequence[Searched]) -> dict[tuple[str, str], list[Searched]]:
    """Sort the searches by data set and model."""
    blocks: dict[tuple[str, str], list[Searched]] = {}
    for one in searches:
        blocks.setdefault((one.dataset, one.model), []).append(one)
    return blocks


def in_common(searches: Sequence[Searched]) -> int:
    """Return how many trainings one seed's search of every row has at least; 0 if the scores of a row are undefined."""
    return min(len(one.scores) // len(one.seeds) for one in searches)
