"""What may leave a site that holds credentialed data: files of known columns and keys, with no ids.

An allow-list: a column, a key or a kind of value that the workflow does not write is refused. Messages name a file's
line or key and never what stands there. See docs/credentialed.md for the reasons.
"""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clinbench.evaluation.paired_records import PAIR
from clinbench.files import JsonError, parse_json
from clinbench.governance import COUNTS, HIDDEN, SUPPRESSED, small
from clinbench.provenance import REQUIRED
from clinbench.reporting.admission import COLUMNS, FACTS
from clinbench.reporting.claims import CLAIMS
from clinbench.reporting.data_tables import COHORT_STATISTICS, STAY_LENGTHS
from clinbench.reporting.differences import DIFFERENCES
from clinbench.reporting.leak_table import SELECTION_LEAK
from clinbench.reporting.learning_table import LEARNING_CURVES
from clinbench.reporting.run_tables import RUNNING_TIME, SELECTED_SETTINGS

STAY = re.compile(r"\d+_episode\d+")
LONG = re.compile(r"(?<![\w.,])\d{5,}(?!\w|[.,]\d)")  # an id in running text; counts there have commas
TABLES = {
    COLUMNS,
    *(kind.keys for kind in (COHORT_STATISTICS, STAY_LENGTHS, SELECTED_SETTINGS, RUNNING_TIME, DIFFERENCES)),
    *(kind.keys for kind in (SELECTION_LEAK, LEARNING_CURVES, CLAIMS)),
}
WORDS = {
    *("track", "task", "dataset", "model", "system", "level", "subset", "metric", "selection", "comparable"),
    *("split", "device", "other", "reference", "unit", "note"),
    *("claim", "paper", "family", "title", "sentence", "own", "setting", "kind", "first", "second"),
    *("verdict", "why", "unpublished"),
}
RATES = {  # at most 1; a skill may be negative
    *("value", "ci_low", "ci_high", "share", "predicted", "observed", "tied_scores"),
    *("p", "p_bootstrap", "p_delong", "p_holm", "valid"),
}
# Keys of run records and metrics files; under OPEN there are names: of rows, cohorts, labels, options.
KEYS = {
    *(*COLUMNS, *FACTS, *REQUIRED, "rows", "provenance", "facts", "absent", "reason"),
    *("rule", "python", "task", "parameters", "trainings", "made_of", "unanswered", "systems", "mentions"),
    *("stays", "patients", "hours", "features", "positives", "splits", "train", "val", "test", "sha256"),
    *("codes", "docs", "records", "predicted", "observed", "negatives"),
    *("points", "sizes", "ceiling"),
    *("unit", "groups", "draws", "pairs", *PAIR, "note", "search", "budget"),
    *("alike", "training_draws"),
    *("precision", "gpu", "gpu_peak_mib", "reused"),
}
OPEN = {
    "absent",
    "systems",
    "wildcards",
    "info",
    "selected",
    "settings",
    "scores",
    "options",
    "encoder",
    "fits",
    "label_positives",
    "group_stays",
    "group_positives",
    "train_sizes",
}
NAMES = {"seed", "batch", "level", "python"}  # small numbers as text, never an id
PLAIN = {".csv", ".json", ".md", ".tex"}
PICTURES = {".pdf", ".png"}


@dataclass(frozen=True)
class Site:
    """What is known of the credentialed data of this site.

    Attributes:
        ids: names and numbers of patients, admissions, stays, documents and mentions, as text.
        titles: credentialed cohorts and benchmarks, name to title.
        sizes: stays of the smallest split of each cohort; a table or list as long may have a row for each.
    """

    ids: frozenset[str]
    titles: dict[str, str]
    sizes: dict[str, int]

    def concerned(self, path: Path) -> set[str]:
        """Return the credentialed data that a file's path or text names."""
        text = path.read_bytes().decode("utf-8", "ignore") if path.suffix in PLAIN else ""
        return {
            name
            for name, title in self.titles.items()
            if name in path.parts or title in text or re.search(rf"\b{re.escape(name)}\b", text)
        }

    def longest(self, names: set[str]) -> float:
        """Return how many rows there may not be in a file that names some data."""
        return min((self.sizes[name] for name in names & self.sizes.keys()), default=float("inf"))

    def tells(self, text: str) -> bool:
        """Tell whether a text is an id, or has one among its words; a number only if it is long."""
        words = {*re.findall(r"[\w.:-]+", text)} if text else set()
        return (
            text in self.ids
            or any(word in self.ids and not word.isdigit() for word in words)
            or (any(number in self.ids for number in LONG.findall(text)))
        )


def reasons_to_refuse(path: Path, site: Site) -> list[str]:
    """Say why a file must not leave the site, by line or key; an empty list if it may."""
    if path.suffix in PICTURES:
        return ["it names a stay"] if STAY.search(path.read_bytes().decode("latin-1")) else []
    if path.suffix not in PLAIN:
        return ["files of this type may hold rows of patients"]
    try:
        text = path.read_bytes().decode("utf-8")
        lines = text.splitlines()
        found = [f"line {at}: it names a stay" for at, line in enumerate(lines, 1) if STAY.search(line)]
        names = site.concerned(path)
        check = {".csv": _table_reasons, ".json": _json_reasons}.get(path.suffix, _text_reasons)
        found += check(text, site, bool(names), site.longest(names))
    except (UnicodeDecodeError, JsonError, RecursionError, csv.Error):
        found = ["it cannot be read, so it cannot be checked"]
    return list(dict.fromkeys(found))


def _text_reasons(text: str, site: Site, *_: object) -> list[str]:
    """Check Markdown and LaTeX: the first cell of a line is a name, the others have numbers with commas."""
    found = []
    for at, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in re.split(r"[|&]", line) if cell.strip()]
        if any(site.tells(cell) for cell in cells[:1]) or any(map(site.tells, LONG.findall(line))):
            found.append(f"line {at}: it holds an id")
    return found


def _table_reasons(text: str, site: Site, credentialed: bool, longest: float) -> list[str]:
    reader = csv.DictReader(io.StringIO(text), strict=True)
    if tuple(reader.fieldnames or ()) not in TABLES:
        return ["line 1: the columns are not those of a table of results"]
    found = []
    for row in reader:
        at = f"line {reader.line_num}"
        if None in row or None in row.values():
            found.append(f"{at}: there are more or fewer cells than columns")
            continue
        for name, cell in row.items():
            if name in WORDS and name not in NAMES and site.tells(cell):
                found.append(f"{at}, column '{name}': it holds an id")
            if name not in WORDS and not _number(cell, name):
                found.append(f"{at}, column '{name}': it is no number that belongs there")
            if credentialed and name in COUNTS and small(cell):
                found.append(f"{at}, column '{name}': a count from 1 to 9")
            if credentialed and name in ("min", "max") and cell:
                found.append(f"{at}, column '{name}': it is the value of one patient")
        if (
            reader.line_num > longest and tuple(reader.fieldnames) != CLAIMS.keys
        ):  # a ledger is as long as its claims
            return [*found[:3], "it has as many rows as a split has stays"]
    return found


def _number(cell: str, name: str) -> bool:
    """Tell whether a cell is empty, hidden, or a number; of a rate, one of at most 1."""
    if cell in ("", HIDDEN, SUPPRESSED):
        return True
    try:
        return float(cell) <= 1 or name not in RATES
    except ValueError:
        return False


def _json_reasons(text: str, site: Site, credentialed: bool, longest: float) -> list[str]:
    value = parse_json(text)
    if not isinstance(value, dict):
        return ["it is no record"]
    found = []
    for keys, one in _walk(value):
        known = [key for key in keys if key in KEYS | OPEN]
        at = f"key '{'.'.join(known[-3:])}'"
        named = any(key in OPEN for key in keys[:-1]) or keys[-2:-1] == ("n",)
        if not named and keys[-1] not in KEYS | OPEN:
            found.append(f"under {at}: a key that no record has" if known else "a key that no record has")
        if keys[-1] not in KEYS and site.tells(keys[-1]):
            found.append(f"under {at}: a key is an id")
        if (
            isinstance(one, list | dict)
            and len(one) >= longest
            and not (keys == ("pairs",) and distinct(one))
        ):
            found.append(f"{at}: it lists as many values as a split has stays")
        for item in one if isinstance(one, list) else [one]:
            if isinstance(item, list) and not _bounds(item, keys):
                found.append(f"{at}: it has lists of lists")
            elif isinstance(item, str) and keys[-1] not in NAMES and site.tells(item):
                found.append(f"{at}: it holds an id")
            elif isinstance(item, bool):
                continue
            elif isinstance(item, int | float) and not _number(str(item), keys[-1]):
                found.append(f"{at}: it is no number that belongs there")
            elif credentialed and {*keys[-2:]} & COUNTS and small(item):
                found.append(f"{at}: a count from 1 to 9")
    return found


def _bounds(item: list, keys: tuple[str, ...]) -> bool:
    """Tell whether a list in a list is an interval of a formula's margin, in the record of the triplet figure."""
    return (
        "fits" in keys and len(item) == 2 and all(isinstance(one, float) and abs(one) < 100 for one in item)
    )


def _walk(value: dict, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield everything inside a JSON object with the keys that lead to it; lists as a whole, then what is in them."""
    for key, one in value.items():
        yield (*keys, key), one
        for inner in one if isinstance(one, list) else [one]:
            if isinstance(inner, dict):
                yield from _walk(inner, (*keys, key))


def distinct(pairs: list) -> bool:
    """Tell whether a list holds one comparison for each two rows and metric, however many: then none is of a stay."""
    named = [tuple(pair.get(key) for key in PAIR[:3]) for pair in pairs if isinstance(pair, dict)]
    return len({*named}) == len(pairs) and len({name for pair in named for name in pair[:2]}) < len(pairs)
