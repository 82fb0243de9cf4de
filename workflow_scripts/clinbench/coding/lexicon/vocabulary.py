"""What may be added to a term: modifiers and sites with their agreement, and the English wording of each.

* ``modifiers.tsv``: adjectives in four forms (English has one, in ``ms``), invariable phrases and
  short forms; alternatives are separated by ``|``.
* ``sites.tsv``: a body part as a noun and in the genitive; laterality agrees with it.
* ``heads.tsv``: terms for what stands below a category ("contusion" under S00 to S99).
* ``titles.tsv``: words of official English titles, what they mean, and under which codes.
"""

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from clinbench.coding.lexicon.terms import Lexicon, collect, set_problems, term_problems
from clinbench.coding.lexicon.tsvfile import AGREEMENTS, FOLDER, LANGS, NONE, read_rows
from clinbench.coding.text import tokens
from clinbench.errors import refuse

# In the order in which a text names them.
KINDS = (
    *("order", "acuity", "severity", "course", "type", "site", "laterality", "stage"),
    *("complication", "aetiology", "trimester", "encounter"),
)
MODIFIERS_HEADER = ("modifier", "kind", "lang", *AGREEMENTS, "phrase", "short")
SITES_HEADER = ("site", "role", "lang", "agreement", "noun", "genitive")
ROLES = ("part", "whole")
HEADS_HEADER = ("head", "lang", "kind", "agreement", "term")
TITLES_HEADER = ("phrase", "means", "under")
NEUTRAL = NONE  # meaning of a title's word that adds nothing, such as "of"


class Forms(NamedTuple):
    """A modifier in one language: adjective by agreement (or none), invariable phrases, short forms."""

    adjective: dict[str, str]
    phrases: tuple[str, ...]
    shorts: tuple[str, ...]


class Site(NamedTuple):
    """A body part in one language.

    Attributes:
        role: ``part`` has no side of its own (shaft, upper lobe), ``whole`` has (femur, hand).
        genitive: with preposition and article; empty in English.
    """

    role: str
    agreement: str
    noun: str
    genitive: str


class Wording(NamedTuple):
    """Words of a title and their meaning; ``under`` are prefixes of codes, none for any code."""

    words: tuple[str, ...]
    means: str
    under: tuple[str, ...]


class Vocabulary(NamedTuple):
    """Modifiers and sites by name and language, each modifier's kind, heads, and title wordings by first word."""

    modifiers: dict[str, dict[str, Forms]]
    kinds: dict[str, str]
    sites: dict[str, dict[str, Site]]
    heads: Lexicon
    wordings: dict[str, list[Wording]]


def load_vocabulary(folder: Path = FOLDER) -> Vocabulary:
    """Read and check modifiers, sites, heads and title wordings.

    Raises:
        UserError: everything that is wrong, each with file, line and remedy.
    """
    problems: list[str] = []
    modifiers, kinds = _modifiers(read_rows(folder / "modifiers.tsv", MODIFIERS_HEADER, problems), problems)
    sites = _sites(read_rows(folder / "sites.tsv", SITES_HEADER, problems), problems)
    named = [
        (place, row["head"], row) for place, row in read_rows(folder / "heads.tsv", HEADS_HEADER, problems)
    ]
    problems += [f"{place}: {problem}" for place, _, row in named for problem in term_problems(row)]
    problems += set_problems(named, minimum=1)
    names = {*modifiers, *sites, *(name for _, name, _ in named), NEUTRAL}
    wordings = _wordings(read_rows(folder / "titles.tsv", TITLES_HEADER, problems), names, problems)
    refuse(problems, "The lexicon's vocabulary cannot be used:", limit=50)
    kinds |= dict.fromkeys(sites, "site")
    return Vocabulary(modifiers, kinds, sites, collect(named), wordings)


def _alternatives(cell: str) -> tuple[str, ...]:
    return () if cell == NONE else tuple(cell.split("|"))


def _modifiers(rows: list, problems: list[str]) -> tuple[dict[str, dict[str, Forms]], dict[str, str]]:
    modifiers, kinds = defaultdict(dict), {}
    for place, row in rows:
        name, lang = row["modifier"], row["lang"]
        filled = [form for form in AGREEMENTS if row[form] != NONE]
        wanted = [[], ["ms"]] if lang == "en" else [[], list(AGREEMENTS)]
        if row["kind"] not in KINDS or kinds.setdefault(name, row["kind"]) != row["kind"]:
            problems.append(
                f"{place}: kind '{row['kind']}'; give {name} one of {', '.join(KINDS)} throughout"
            )
        if filled not in wanted:
            problems.append(f"{place}: adjective in {filled}; fill all four forms (English: ms) or none")
        if not filled and row["phrase"] == NONE:
            problems.append(f"{place}: neither adjective nor phrase; write one")
        if lang in modifiers[name]:
            problems.append(f"{place}: {name} stands twice in '{lang}'; merge the lines")
        adjective = {form: row[form] for form in filled}
        modifiers[name][lang] = Forms(adjective, _alternatives(row["phrase"]), _alternatives(row["short"]))
    problems += _missing(modifiers, "modifiers.tsv")
    return dict(modifiers), kinds


def _sites(rows: list, problems: list[str]) -> dict[str, dict[str, Site]]:
    sites: dict[str, dict[str, Site]] = defaultdict(dict)
    for place, row in rows:
        english = row["lang"] == "en"
        if (row["agreement"] == NONE) != english or (row["genitive"] == NONE) != english:
            problems.append(f"{place}: agreement and genitive are '-' in English and given elsewhere")
        elif not english and row["agreement"] not in AGREEMENTS:
            problems.append(f"{place}: agreement '{row['agreement']}' is none of {', '.join(AGREEMENTS)}")
        if row["role"] not in ROLES:
            problems.append(f"{place}: role '{row['role']}' is none of {', '.join(ROLES)}")
        if row["lang"] in sites[row["site"]]:
            problems.append(f"{place}: {row['site']} stands twice in '{row['lang']}'; keep one line")
        genitive = "" if english else row["genitive"]
        sites[row["site"]][row["lang"]] = Site(row["role"], row["agreement"], row["noun"], genitive)
    problems += _missing(sites, "sites.tsv")
    return dict(sites)


def _missing(entries: dict[str, dict], file: str) -> list[str]:
    return [
        f"{file}: {name} has languages {', '.join(sorted(by_lang))}; write one line for each of {', '.join(LANGS)}"
        for name, by_lang in entries.items()
        if set(by_lang) != set(LANGS)
    ]


def _wordings(rows: list, names: set[str], problems: list[str]) -> dict[str, list[Wording]]:
    wordings, seen = defaultdict(list), {}
    for place, row in rows:
        words = tuple(tokens(row["phrase"]))
        key = (words, row["under"])
        if row["means"] not in names:
            problems.append(f"{place}: '{row['means']}' is no modifier, site or head; correct the name")
        if key in seen:
            problems.append(f"{place}: '{row['phrase']}' stands already in {seen[key]}; keep one")
        seen[key] = place
        under = () if row["under"] == NONE else tuple(row["under"].split(","))
        wordings[words[0]].append(Wording(words, row["means"], under))
    for choices in wordings.values():
        choices.sort(key=lambda wording: (-len(wording.words), not wording.under, wording.words))
    return dict(wordings)
