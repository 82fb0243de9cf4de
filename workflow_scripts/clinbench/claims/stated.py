"""What claims.yaml states, and all that is wrong with it: keys, shape, names of rows, metrics, levels and tables."""

from collections.abc import Collection, Iterator
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator

from clinbench import plugins
from clinbench.errors import closest, refuse
from clinbench.reporting.names import SYSTEMS

FILE = Path(__file__).with_name("claims.yaml")
SCHEMA = Path(__file__).with_name("claims.schema.yaml")
# What paired statistics and timings have of each table; named here since a plan must not load what computes them.
OUTCOME = ("auroc", "average_precision", "auprc", "minpse", "accuracy")
PHENOTYPES = ("micro_auroc", "macro_auroc", "weighted_auroc")
RANKS = ("precision", "recall", "f1", "map10", "mrr", "r3", "r5", "r10", "r50", "r100")
DOCUMENTS = ("doc_precision", "doc_recall", "doc_f1", "doc_map")
LEVELS = ("exact", "category", "chapter")


def read(text: str) -> dict:
    """Parse YAML; a key that a mapping has twice is refused, where YAML would keep the last.

    Raises:
        UserError: it names key and line.
    """
    # The pure-Python loader costs every plan half a second.
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: list[str] = []

    class Loader(base):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
            found.extend(_repeated(node))
            return super().construct_mapping(node, deep)

    stated = yaml.load(text, Loader=Loader)
    refuse(found, f"{FILE.name} has keys twice; rename or remove one of each:")
    return stated


def problems(stated: dict, rows: Collection[str] = ()) -> list[str]:
    """Name everything that is wrong with stated claims, by key.

    Args:
        stated: of ``read``.
        rows: of the configuration, beside those with a name of their own (``reporting.names.SYSTEMS``).
    """
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    found = [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
        for error in Draft202012Validator(schema).iter_errors(stated)
    ]
    if found:
        return found
    known, seen = {*SYSTEMS, *rows}, {}
    for name, family in stated["families"].items():
        found += [f"families.{name}.{problem}" for problem in _of_family(family, stated["papers"])]
        for claim, entry in family["claims"].items():
            at = f"families.{name}.claims.{claim}"
            if seen.setdefault(claim, name) != name:
                found.append(f"{at}: '{seen[claim]}' has a claim of this name.")
            found += [f"{at}.{problem}" for problem in _of_claim(entry, family, known)]
    return found


def _repeated(node: yaml.MappingNode) -> Iterator[str]:
    first: dict[str, int] = {}
    for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
        line = key.start_mark.line + 1
        if first.setdefault(key.value, line) != line:
            yield f"line {line}: '{key.value}' is also in line {first[key.value]}."


def _of_family(family: dict, papers: dict[str, str]) -> Iterator[str]:
    checks = [("paper", papers), ("model", plugins.names("risk.models"))]
    checks.append(("benchmark", plugins.names("coding.benchmarks")))
    for key, choices in checks:
        if key in family:
            yield from _unknown(key, [family[key]], choices)


def _of_claim(claim: dict, family: dict, rows: Collection[str]) -> Iterator[str]:
    firsts = [claim["first"]] if isinstance(claim["first"], str) else claim["first"]
    yield from _unknown("first", firsts, rows)
    yield from _unknown("second", claim.get("second", ()), rows)
    levels = claim.get("levels", ())
    yield from _unknown("metrics", claim.get("metrics", ()), _metrics(family, claim, levels))
    if family["track"] == "coding":
        yield from _unknown("levels", levels, LEVELS)
        if not levels and claim.get("metrics"):
            yield f"levels: say at which of {', '.join(LEVELS)}."
    elif family.get("study") == "imbalance":
        yield from (
            f"levels: '{level}' is neither all nor a share of positives such as 0.05."
            for level in levels
            if level != "all" and not _share(level)
        )
    elif levels:
        yield "levels: there are none in this table; leave them out."


def _metrics(family: dict, claim: dict, levels: Collection[str]) -> tuple[str, ...]:
    if claim.get("kind") == "equivalence":
        return ("time",)
    if family["track"] == "coding":
        return (*RANKS, *(DOCUMENTS if {*levels} == {"exact"} else ()))
    return PHENOTYPES if family["task"] == "phenotyping" else OUTCOME


def _share(text: str) -> bool:
    """Tell whether a text is a share as the names of files have it, such as 0.05 and not 5e-2."""
    try:
        return str(float(text)) == text and 0 < float(text) < 1
    except ValueError:
        return False


def _unknown(key: str, given: Collection[str], choices: Collection[str]) -> Iterator[str]:
    for name in given:
        if name not in choices:
            hint = closest(name, choices) or f"; there are {', '.join(sorted(choices))}"
            yield f"{key}: '{name}' is not known{hint}."
