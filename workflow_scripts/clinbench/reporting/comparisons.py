"""What a table knows of paired comparisons: which cells are bold, and how a number varies over the seeds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from clinbench.reporting.admission import defined
from clinbench.significance import ALPHA, best_rows

Key = tuple[str, str, str]  # data set, model, level; the last two empty for retrieval


@dataclass(frozen=True)
class Comparisons:
    """The paired.json behind a table, by the block they are of."""

    records: dict[Key, dict] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[dict]) -> "Comparisons":
        """Take the contents of paired.json files."""
        return cls(
            {tuple(record[key] for key in ("dataset", "model", "level")): record for record in records}
        )

    def bold(self, rows: Sequence[dict]) -> set[str]:
        """Return the systems that are bold in one column of one block: the best, and what does not differ from it.

        Args:
            rows: the long rows of the column.
        """
        values = {row["system"]: row["value"] for row in rows if defined(row["value"])}
        if not rows or rows[0]["subset"] != "all" or len(values) < 2:
            return set()
        key, metric = _place(rows[0])
        return best_rows(values, self.records.get(key, {}).get("pairs", ()), metric)

    def deviation(self, row: dict) -> float | None:
        """Return the standard deviation of a long row's number over the seeds; None for one seed, or if not known."""
        key, metric = _place(row)
        systems = self.records.get(key, {}).get("systems", {})
        known = systems.get(row["system"], {}).get("values", {}).get(metric, {})
        return known.get("sd") if row["subset"] == "all" else None

    def note(self) -> str:
        """Say what bold type means; nothing without comparisons."""
        compared = [record for record in self.records.values() if record["pairs"]]
        if not compared:
            return ""
        units = " or ".join(dict.fromkeys(record["unit"] for record in compared))
        draws = " or ".join(dict.fromkeys(f"{record['draws']:,}" for record in compared))
        single = all(max(len(record["seeds"]), record["training_draws"]) < 2 for record in compared)
        meant = "; with one seed, the trained models are compared, not what trained them" if single else ""
        return (
            "Bold: the best of a column, and every row whose paired difference from it is not significant (randomised "
            f"by {units}, {draws} draws, Holm's p ≥ {f'{ALPHA:g}'.removeprefix('0')} within the column){meant}."
        )


def _place(row: dict) -> tuple[Key, str]:
    """Return which comparison a long row's number is in, and what its metric is called there."""
    if row["track"] == "coding":
        return (row["dataset"], "", ""), f"{row['level']}_{row['metric']}"
    return (row["dataset"], row["model"], row["level"]), row["metric"]
