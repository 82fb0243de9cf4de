"""How many samples stand behind numbers, in words."""

from collections.abc import Sequence

from clinbench.reporting.cells import count
from clinbench.reporting.layouts import Layout
from clinbench.reporting.names import shown_level


def size_text(n: int | str | None, facts: dict, unit: str) -> str:
    """Word the size of a test set: ``n = 3,236 stays, 374 positive``."""
    parts = [f"n = {count(n)} {unit}"] if n is not None else []
    if facts.get("positives") is not None:
        parts.append(f"{count(facts['positives'])} positive")
    if labels := facts.get("label_positives"):
        parts.append(f"{len(labels)} labels each")
        if not any(isinstance(positives, str) for positives in labels.values()):  # hidden ones have no sum
            parts.append(f"{sum(labels.values()):,} positive")
    if facts.get("pool") is not None:
        parts.append(f"pool of {facts['pool']:,} codes")
    return ", ".join(parts)


def train_text(facts: dict, layout: Layout) -> str:
    """Word what each level of a study was trained on, or nothing where the table shows no levels.

    Example:
        >>> from clinbench.reporting.studies import imbalance
        >>> train_text({"train_sizes": {"0.05": {"n": [99, 97], "positives": [6, 4]}}}, imbalance(["0.05"]))
        'trained on: 5 % positive, 97–99 stays, 4–6 positive, 2 draws'
    """
    sizes = facts.get("train_sizes") or {}
    levels = dict.fromkeys(column.where["level"] for column in layout.columns if "level" in column.where)
    told = [
        f"{shown_level(level)}, {_range(sizes[level]['n'])} {layout.unit}, "
        f"{_range(sizes[level]['positives'])} positive, {_draws(len(sizes[level]['n']))}"
        for level in levels
        if level in sizes
    ]
    return f"trained on: {'; '.join(told)}" if told else ""


def _range(counts: Sequence[int | str]) -> str:
    if hidden := [one for one in counts if isinstance(one, str)]:
        return hidden[0]
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _draws(count: int) -> str:
    return f"{count} draw{'s' * (count != 1)}"
