"""What may enter a table: complete rows, with provenance, of data sets whose nature is known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TypedDict

from clinbench import plugins, provenance
from clinbench.errors import UserError, refuse
from clinbench.governance import HIDDEN, SUPPRESSED
from clinbench.reporting.layouts import Layout

COLUMNS = (
    *("track", "task", "dataset", "model", "system", "level", "subset", "metric"),
    *("value", "std", "ci_low", "ci_high", "n", "n_valid", "seeds", "selection", "published", "comparable"),
)
# What a record may say for captions; ``title`` and ``synthetic`` default to the data set's plug-in.
FACTS = (
    *("title", "synthetic", "positives", "pool", "label_positives", "train_sizes"),
    *("group_stays", "group_positives"),
    *("value", "resampled", "std_draws", "interval_draws", "search_budget", "tied_scores", "bins", "least"),
    *("caveat", "row_pool"),
)
# Facts on which the records of one data set have to agree, for their rows to stand under each other.
SHARED = FACTS[:8]
SAMPLE, BOOTSTRAP_MEAN = "sample", "bootstrap_mean"  # what ``value`` may say of a record's numbers


class Record(TypedDict, total=False):
    """One metrics file.

    Attributes:
        rows: long rows with exactly the keys ``COLUMNS``.
        provenance: one run record per training behind the rows.
        facts: of the data set and the protocol: ``title``; ``synthetic`` (bool); ``positives`` of the test
            set; ``pool`` (number of codes); ``label_positives`` (label to its positives in the test set);
            ``train_sizes`` (level to ``{"n": [...], "positives": [...]}``, one number a draw); ``value``
            ("sample", or "bootstrap_mean" where the values are means over the resamples); ``resampled``
            (what the bootstrap draws, plural: patients, documents); ``std_draws`` and ``interval_draws``;
            ``search_budget`` (trainings, or words); ``tied_scores`` (share of scores that are not alone);
            ``group_stays`` and ``group_positives`` (subgroup to its count); ``bins`` of the calibration error;
            ``least`` positives and negatives of a subgroup that is shown; ``caveat`` of a row's probabilities, words;
            ``row_pool`` (number of codes a row can answer, where it is not ``pool``).
        absent: rows that could not run: ``dataset``, ``model``, ``system`` and ``reason``; with ``level``,
            only that level's cells could not.
        origin: where the record comes from, for messages.
    """

    rows: list[dict]
    provenance: list[dict]
    facts: dict
    absent: list[dict]
    origin: str


@dataclass(frozen=True)
class Admitted:
    """What a table is made of: ``rows`` beside the ``facts`` of each, ``absent`` rows, run records."""

    rows: list[dict]
    facts: list[dict]
    absent: list[dict]
    runs: list[dict]
    datasets: dict[str, dict]


def admit(records: Sequence[Record], layout: Layout) -> Admitted:
    """Check all records and join them.

    Raises:
        UserError: a record has no provenance or lacks a field of it; a row lacks a column, n, n_valid, seeds
            or its interval, or belongs to another kind of table; it is not known whether a data set is
            synthetic, or records disagree on it.
    """
    rows, facts, absent, runs = [], [], [], []
    datasets: dict[str, dict] = {}
    problems: list[str] = []
    for number, record in enumerate(records, 1):
        where = record.get("origin") or f"record {number}"
        found = record.get("rows", [])
        problems += _record_problems(record, where)
        problems += [text for row in found for text in _row_problems(row, layout, where)]
        if layout.subset is None:
            found = [row for row in found if row.get("subset") != "all"]
        problems += [text for run in record.get("provenance", []) for text in provenance.problems(run, where)]
        runs += record.get("provenance", [])
        rows += found
        facts += [record.get("facts", {})] * len(found)
        absent += record.get("absent", [])
        for dataset in dict.fromkeys(str(row.get("dataset")) for row in [*found, *record.get("absent", [])]):
            problems += _join_facts(datasets.setdefault(dataset, {}), record.get("facts", {}), dataset, where)
    refuse(problems, f"The table '{layout.name}' refuses what it was given:")
    if not rows and (not absent or layout.subset is None):
        raise UserError(f"The table '{layout.name}' was given no rows; run the evaluation first.")
    for dataset, known in datasets.items():
        datasets[dataset] = plugin_facts(dataset) | known
    unknown = [name for name, known in datasets.items() if not isinstance(known.get("synthetic"), bool)]
    refuse(
        (f"data set '{name}': say in facts whether it is synthetic (true or false)." for name in unknown),
        f"The table '{layout.name}' cannot label its data:",
    )
    return Admitted(rows, facts, absent, runs, datasets)


def defined(value: object) -> bool:
    """Tell whether a number is there and finite."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _record_problems(record: Record, where: str) -> list[str]:
    problems = []
    if record.get("rows") and not record.get("provenance"):
        problems.append(f"{where}: rows without provenance; keep the run records beside the rows.")
    unknown = [key for key in record.get("facts", {}) if key not in FACTS]
    if unknown:
        problems.append(f"{where}: unknown facts {', '.join(unknown)}; there are {', '.join(FACTS)}.")
    if record.get("facts", {}).get("value", SAMPLE) not in (SAMPLE, BOOTSTRAP_MEAN):
        problems.append(f"{where}: value is '{record['facts']['value']}', not {SAMPLE} or {BOOTSTRAP_MEAN}.")
    keys = {"dataset", "model", "system", "reason"}
    problems += [
        f"{where}: an absent row lacks {', '.join(sorted(keys - set(item)))}."
        for item in record.get("absent", [])
        if not keys <= set(item)
    ]
    problems += [
        f"{where}: row '{item.get('system')}' is given both as absent and with numbers."
        for item in record.get("absent", [])
        if any(_is_of(row, item) for row in record.get("rows", []))
    ]
    return problems


def _is_of(row: dict, item: dict) -> bool:
    """Tell whether a row is one that an absent item says there is none of."""
    keys = ("dataset", "model", "system", *(("level",) if "level" in item else ()))
    return all(row.get(key) == item.get(key) for key in keys)


def _row_problems(row: dict, layout: Layout, where: str) -> list[str]:
    """Name everything that keeps one long row out of a table."""
    missing = [key for key in COLUMNS if key not in row]
    if missing:
        return [f"{where}: a row of '{row.get('system')}' lacks the column {', '.join(missing)}."]
    cell = "/".join(str(row[key]) for key in ("dataset", "model", "system", "level", "metric") if row[key])
    problems = []
    if unknown := [str(key) for key in row if key not in COLUMNS]:
        problems.append(f"{where}: {cell}: unknown column {', '.join(unknown)}.")
    for key, wanted in layout.match.items():
        if row[key] != wanted:
            problems.append(f"{where}: {cell}: {key} '{row[key]}' does not belong in a table of '{wanted}'.")
    if row["n"] not in (HIDDEN, SUPPRESSED) and (not defined(row["n"]) or row["n"] < 1):
        problems.append(f"{where}: {cell}: no n; give the number of {layout.unit} that were scored.")
    if defined(row["value"]) and not (defined(row["ci_low"]) and defined(row["ci_high"])):
        problems.append(f"{where}: {cell}: {row['value']} has no interval; give ci_low and ci_high.")
    if defined(row["value"]) and not (defined(row["n_valid"]) and row["n_valid"] >= 1):
        problems.append(f"{where}: {cell}: no n_valid; give the number of resamples behind the interval.")
    if not defined(row["seeds"]) or row["seeds"] < 1:
        problems.append(f"{where}: {cell}: no seeds; give the number of seeds.")
    if row["comparable"] not in ("yes", "no", ""):
        problems.append(f"{where}: {cell}: comparable is '{row['comparable']}', not yes, no or empty.")
    return problems


def _join_facts(known: dict, new: dict, dataset: str, where: str) -> list[str]:
    """Add a record's facts to its data set's, and name those it contradicts."""
    problems = []
    for key in SHARED:
        value = new.get(key)
        if value is None:
            continue
        parts = value.items() if isinstance(value, dict) else [(None, value)]
        store = known.setdefault(key, {}) if isinstance(value, dict) else known
        for part, stated in parts:
            name = key if part is None else part
            if store.setdefault(name, stated) != stated:
                told = key if part is None else f"{key} of '{part}'"
                problems.append(
                    f"{where}: data set '{dataset}' has {told} {stated!r}, another record has "
                    f"{store[name]!r}; such rows cannot stand in one table."
                )
    return problems


def plugin_facts(dataset: str) -> dict:
    """Return title and synthetic label of the plug-in a data set is named after; else its name as title."""
    for package in ("cohorts", "coding.benchmarks"):
        if dataset in plugins.names(package):
            title = plugins.declared(package, dataset, "TITLE", dataset)
            return {"title": title, "synthetic": plugins.declared(package, dataset, "SYNTHETIC")}
    return {"title": dataset}
