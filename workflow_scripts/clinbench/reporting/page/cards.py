"""Cards of cohorts and benchmarks: counts, prevalence, split, access and licence, as the metrics files tell them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clinbench.governance import HIDDEN
from clinbench.reporting.admission import plugin_facts
from clinbench.reporting.cells import UNDEFINED, count

SPLITS = {"train": "Training", "val": "Validation", "test": "Test"}
COUNTED = {
    "patients": "patients", "hours": "hours of stay", "features": "features an hour", "codes": "distinct gold codes",
    "docs": "documents", "pool": "codes in the pool", "rows": "test mentions",
}  # fmt: skip


@dataclass(frozen=True)
class Card:
    """One data set and task.

    Attributes:
        title, task: of the data set.
        synthetic: whether no patient stands behind it.
        access: "open" or "credentialed".
        sources: sentences that say where the data come from and their licence.
        options: of the cohort, as the configuration has them, name to value.
        splits: name, stays, positive labels and their share, as texts.
        counts: words to number, as texts.
        sha256: of the content.
    """

    title: str
    task: str
    synthetic: bool
    access: str
    sources: list[str]
    options: dict[str, str]
    splits: list[tuple[str, str, str, str]]
    counts: dict[str, str] = field(default_factory=dict)
    sha256: str = ""


def cards(records: Sequence[dict], told: Mapping[str, dict]) -> list[Card]:
    """Make a card of each data set and task.

    Args:
        records: metrics files (``admission.Record``); the first of a data set and task is taken.
        told: data set to ``access``, ``sources``, ``options`` and perhaps ``title``, which the files do not hold.
    """
    found: dict[tuple[str, str], Card] = {}
    for record in records:
        for row in record.get("rows", [])[:1]:
            key = row["dataset"], row["task"]
            if key not in found and record.get("provenance"):
                found[key] = _card(*key, record, told.get(row["dataset"], {}))
    return list(found.values())


def _card(dataset: str, task: str, record: dict, told: Mapping) -> Card:
    facts = plugin_facts(dataset) | {key: told[key] for key in ("title",) if key in told}
    facts |= {key: value for key, value in record.get("facts", {}).items() if value is not None}
    data = record["provenance"][0]["data_fingerprint"]
    labels = max((len(_listed(part["positives"])) for part in data.get("splits", {}).values()), default=1)
    splits = [
        (title, count(part["stays"]), *_positives(part, labels))
        for name, title in SPLITS.items()
        if (part := data.get("splits", {}).get(name))
    ]
    # The groups that the bootstrap draws of a benchmark are documents, or what its plug-in says.
    named = COUNTED | {"docs": facts.get("resampled", "documents")}
    counts = {words: count(value) for key, words in named.items() if (value := (facts | data).get(key))}
    return Card(
        str(facts["title"]),
        task.capitalize() + (f", {labels} labels a stay" if labels > 1 else ""),
        bool(facts.get("synthetic")),
        told.get("access", "not told"),
        list(told.get("sources", [])),
        dict(told.get("options", {})),
        splits,
        counts,
        data.get("sha256", ""),
    )


def _positives(part: dict, labels: int) -> tuple[str, str]:
    """Word positive labels and their share; nothing that a hidden count hides."""
    counts = _listed(part["positives"])
    if HIDDEN in [*counts, part["stays"]]:
        return HIDDEN if labels == 1 else UNDEFINED, UNDEFINED
    total = sum(counts)
    share = f"{100 * total / (part['stays'] * labels):.1f} %" if part["stays"] else UNDEFINED
    return count(total), share


def _listed(value: object) -> list:
    return value if isinstance(value, list) else [value]
