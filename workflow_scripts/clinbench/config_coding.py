"""Checks of the configuration's coding section: what names what, and which table and data are meant."""

from collections.abc import Callable, Iterator
from pathlib import Path

from clinbench import plugins

# Keys of an entry that the suite itself reads; the rest belong to the entry's plug-in.
RETRIEVER = {
    "encoder": {"type": "string"},
    "first_stage": {"type": "string"},
    "candidates": {"type": "string"},
    "model_of": {"type": "string"},
    "optional": {"type": "boolean"},
    "systems": {"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": True},
    "mentions": {"type": "array", "items": {"enum": ["train", "val"]}, "uniqueItems": True},
    "sources": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
}
BENCHMARK = {
    "table": {"type": "string"},
    "train_on": {"type": ["string", "null"]},
    "disjoint": {"type": "boolean"},
    "pool": {"enum": ["full", "gold_union", "train_gold"]},
}
MENTIONS = "mentions"  # source of the texts that are annotated mentions, see coding.mentions
Check = tuple[str, list[str], list[str]]


def table_of(config: dict, benchmark: str) -> str:
    """Return the code table of a benchmark; ``auto`` is its first one whose data are configured."""
    table = config["coding"].get(benchmark, {}).get("table", "auto")
    if table != "auto":
        return table
    candidates = plugins.declared("coding.benchmarks", benchmark, "TABLES")
    for name in candidates:
        needs = plugins.declared("coding.tables", name, "DATA", {})
        if all(config["data"].get(key) for key in needs):
            return name
    return candidates[-1]


def parts_of(entry: dict) -> list[str]:
    """Return the tables that a table's entry is made of."""
    option = plugins.declared("coding.tables", entry["kind"], "PARTS")
    return entry.get(option, []) if option else []


def tables_of(config: dict, benchmark: str) -> list[str]:
    """Return a benchmark's code table and every table it is made of."""
    return _closure([table_of(config, benchmark)], _parts_in(config["coding"]["tables"]))


def external_file(coding: dict, name: str, benchmark: str) -> str | None:
    """Return the file with a run made elsewhere for a benchmark; None where there is none."""
    entry = coding["external"][name]
    return entry.get(benchmark) if isinstance(entry, dict) else entry


def external_problems(coding: dict) -> Iterator[str]:
    """Check that runs made elsewhere are there and that one file is not meant for several benchmarks."""
    for name, entry in coding["external"].items():
        where = f"coding.external.{name}"
        if name in coding["retrievers"]:
            yield f"{where}: a retriever has this name already; choose another."
        if isinstance(entry, str) and len(coding["benchmarks"]) > 1:
            listed = ", ".join(coding["benchmarks"])
            yield f"{where}: for which of {listed}? Write {{benchmark: file}} in place of one file."
        for file in entry.values() if isinstance(entry, dict) else [entry]:
            if not Path(file).is_file():
                yield f"{where}: {file} does not exist."


def file_problems(tables: dict, used: list[dict]) -> Iterator[str]:
    """Check that the files which used tables name are there; a leading ~ is replaced in place."""
    for name, entry in tables.items():
        for key in plugins.declared("coding.tables", entry["kind"], "FILES", ()) if entry in used else ():
            where = f"coding.tables.{name}.{key}"
            if not entry.get(key):
                yield f"{where} is null; set it to the table's file."
                continue
            entry[key] = str(Path(entry[key]).expanduser())
            if not Path(entry[key]).is_file():
                yield f"{where}: {entry[key]} does not exist."


def benchmarks_of(coding: dict) -> list[str]:
    """Return the selected benchmarks and those their systems learn from."""
    learned = [coding.get(name, {}).get("train_on") for name in coding["benchmarks"]]
    return list(dict.fromkeys([*coding["benchmarks"], *filter(None, learned)]))


def names(coding: dict) -> list[Check]:
    """List where a name is chosen, what is chosen there and the choices there are."""
    benchmarks = plugins.names("coding.benchmarks")
    checks = [
        ("coding.benchmarks", coding["benchmarks"], benchmarks),
        ("coding.systems", coding["systems"], list(coding["retrievers"])),
    ]
    if coding["groups"]["encoder"]:
        checks.append(("coding.groups.encoder", [coding["groups"]["encoder"]], list(coding["encoders"])))
    for name, entry in coding["tables"].items():
        checks.append((f"coding.tables.{name}.parts", parts_of(entry), list(coding["tables"])))
    for name, entry in coding["retrievers"].items():
        for key, choices in (
            ("encoder", coding["encoders"]),
            ("first_stage", coding["retrievers"]),
            ("candidates", coding["retrievers"]),
            ("model_of", coding["retrievers"]),
            ("systems", coding["retrievers"]),
        ):
            chosen = entry.get(key, [])
            chosen = chosen if isinstance(chosen, list) else [chosen]
            checks.append((f"coding.retrievers.{name}.{key}", chosen, list(choices)))
    for name, entry in coding["external"].items():
        checks.append((f"coding.external.{name}", list(entry) if isinstance(entry, dict) else [], benchmarks))
    for name in coding["benchmarks"]:
        entry = coding.get(name, {})
        checks.append((f"coding.{name}.table", [entry.get("table", "auto")], ["auto", *coding["tables"]]))
        if entry.get("train_on"):
            checks.append((f"coding.{name}.train_on", [entry["train_on"]], benchmarks))
    return checks


def problems(coding: dict) -> Iterator[str]:
    """Name what does not fit together; all names are known to be defined."""
    for name, entry in coding["retrievers"].items():
        yield from _retriever(name, entry, coding["retrievers"])
    for name, entry in coding["tables"].items():
        if name in _closure(parts_of(entry), _parts_in(coding["tables"])):
            yield f"coding.tables.{name}.parts: '{name}' would be a part of itself."
        if MENTIONS in parts_of(entry):
            yield (
                f"coding.tables.{name}.parts: '{MENTIONS}' is the source of annotated mentions, so that no part may "
                "be called so; give that table another name."
            )
        if entry.get("pool") and entry["pool"] not in parts_of(entry):
            yield f"coding.tables.{name}.pool: '{entry['pool']}' is none of its parts."
    yield from external_problems(coding)
    for name in coding["benchmarks"]:
        yield from _composed(name, coding)
        base = coding.get(name, {}).get("train_on")
        if coding.get(name, {}).get("disjoint") and not base:
            yield f"coding.{name}.disjoint: from which benchmark's documents? Name it with train_on."
        if base == name or (base and coding.get(base, {}).get("train_on")):
            yield f"coding.{name}.train_on: '{base}' must have train mentions of its own; name another benchmark."


def _composed(name: str, coding: dict) -> Iterator[str]:
    """Check that a benchmark of composed queries is not answered from texts composed of the same terms."""
    if not plugins.declared("coding.benchmarks", name, "SUPERVISION", ()):
        return
    tables, chosen = coding["tables"], coding.get(name, {}).get("table", "auto")
    for part in _closure([chosen], _parts_in(tables)):
        if part in tables and plugins.declared("coding.tables", tables[part]["kind"], "LEXICON", False):
            yield (
                f"coding.{name}.table: '{chosen}' holds the lexicon's own terms ('{part}'), of which the queries are "
                "composed; name a table without them."
            )


def _retriever(name: str, entry: dict, retrievers: dict) -> Iterator[str]:
    """Check that a system names what its plug-in needs, and nothing else."""
    needs = plugins.declared("coding.systems", entry["kind"], "NEEDS", ())
    for key in ("encoder", "first_stage", "systems"):
        if key in needs and key not in entry:
            yield f"coding.retrievers.{name}.{key}: missing; kind '{entry['kind']}' needs it."
        if key not in needs and key in entry:
            yield f"coding.retrievers.{name}.{key}: kind '{entry['kind']}' has no use for it; remove it."
    if "candidates" in entry and "first_stage" not in needs:
        yield f"coding.retrievers.{name}.candidates: kind '{entry['kind']}' re-ranks nothing; remove it."
    lender = retrievers.get(entry.get("model_of"))
    if lender and (
        lender["kind"] != entry["kind"]
        or "model_of" in lender
        or not plugins.declared("coding.systems", entry["kind"], "TRAINED", False)
    ):
        yield (
            f"coding.retrievers.{name}.model_of: '{entry['model_of']}' trains no model of kind '{entry['kind']}' "
            "itself; name a system that does."
        )
    if lender:
        searched = plugins.declared("coding.systems", entry["kind"], "SEARCH_OPTIONS", ())
        for key in sorted(entry.keys() - {"kind", *RETRIEVER, *searched}):
            yield f"coding.retrievers.{name}.{key}: set it where the model is trained, on '{entry['model_of']}'."
        for key in ("encoder", "first_stage"):
            if entry.get(key) != lender.get(key):
                yield f"coding.retrievers.{name}.{key}: must be that of '{entry['model_of']}', whose model it uses."
    if "first_stage" in needs and "sources" in entry:
        yield (
            f"coding.retrievers.{name}.sources: it re-ranks codes that may have no text there; set sources on what "
            "it re-ranks."
        )
    for key in ("mentions", "sources"):
        if "systems" in needs and key in entry:
            yield f"coding.retrievers.{name}.{key}: '{name}' reads runs only; remove it."
    for key in plugins.declared("coding.systems", entry["kind"], "PER_SYSTEM", ()):
        given, systems = entry.get(key), entry.get("systems", [])
        if given is not None and len(given) != len(systems):
            yield f"coding.retrievers.{name}.{key}: {len(given)} for {len(systems)} systems; give one for each."
    first = retrievers.get(entry.get("first_stage"))
    if entry.get("first_stage") == name:
        yield f"coding.retrievers.{name}.first_stage: a system cannot re-rank itself."
    elif first and not (
        plugins.declared("coding.systems", first["kind"], "TRAINED", False)
        and not {"first_stage", "model_of"} & first.keys()
    ):
        yield (
            f"coding.retrievers.{name}.first_stage: '{entry['first_stage']}' is not a trained one-stage "
            "system; its model is what this one starts from."
        )
    if name in _closure(runs_below(entry), lambda other: runs_below(retrievers.get(other, {}))):
        yield f"coding.retrievers.{name}: '{name}' would be made of its own run."


def runs_below(entry: dict) -> list[str]:
    """Return the systems whose runs a system reads: those it fuses, and the one whose shortlist it re-ranks."""
    ranked = entry.get("candidates") or entry.get("first_stage")
    return [*entry.get("systems", []), *([ranked] if ranked else [])]


def _parts_in(tables: dict) -> Callable[[str], list[str]]:
    return lambda name: parts_of(tables[name]) if name in tables else []


def _closure(names: list[str], below: Callable[[str], list[str]]) -> list[str]:
    """Return names and all that stands below them, at any depth, each once."""
    found = list(names)
    for known in found:
        found += [other for other in below(known) if other not in found]
    return found
