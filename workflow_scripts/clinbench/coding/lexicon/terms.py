"""The terms of the lexicon: what clinicians and patients call a three-character category, in six languages."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable
from pathlib import Path
from typing import NamedTuple

from clinbench.coding.codes import chapter, parse
from clinbench.coding.lexicon.tsvfile import AGREEMENTS, FOLDER, LANGS, NONE, read_rows
from clinbench.coding.text import fold
from clinbench.errors import UserError, refuse

HEADER = ("code", "lang", "kind", "agreement", "term")
SHARED_HEADER = ("term", "langs")
KINDS = ("preferred", "synonym", "lay", "abbreviation")
MINIMUM = 3  # distinct terms of a code in one language
LONGEST = 120  # characters of a term
CODE_STRING = re.compile(r"\b[A-TV-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4}|[0-9]{1,4}[A-Z]?)?\b")


class Term(NamedTuple):
    """One term.

    Attributes:
        kind: one of ``KINDS``.
        agreement: gender and number of the head noun, ``ms`` to ``fp``; ``-`` in English.
    """

    text: str
    kind: str
    agreement: str


Lexicon = dict[str, dict[str, list[Term]]]  # name (category code or head) -> language -> terms


def load_terms(folder: Path = FOLDER / "terms", known: Collection[str] | None = None) -> Lexicon:
    """Read and check all term files of a folder.

    Args:
        folder: holds ``01.tsv`` to ``21.tsv`` (any of them) and ``shared.tsv``.
        known: the edition's codes, or None to skip the checks that a category exists and that no term holds
            a code.

    Returns:
        Category to language to its terms, in the order of the files.

    Raises:
        UserError: everything that is wrong, each with file, line and remedy.
    """
    files = sorted(folder.glob("[0-9][0-9].tsv"))
    if not files:
        raise UserError(f"{folder}: no term file such as 01.tsv. Restore them from the repository.")
    problems: list[str] = []
    rows = [(place, row, file.stem) for file in files for place, row in read_rows(file, HEADER, problems)]
    for place, row, number in rows:
        problems += [f"{place}: {problem}" for problem in _code_problems(row["code"], number, known)]
        problems += [f"{place}: {problem}" for problem in term_problems(row)]
        if known is not None and holds_code(row["term"], known):
            problems.append(f"{place}: '{row['term']}' holds a code; write words only")
    named = [(place, row["code"], row) for place, row, _ in rows]
    problems += set_problems(named, MINIMUM)
    problems += _ambiguous(named)
    problems += _unreviewed(named, read_shared(folder, problems))
    refuse(problems, "The lexicon's terms cannot be used:", limit=50)
    return collect(named)


def collect(named: Iterable[tuple[str, str, dict]]) -> Lexicon:
    """Group rows ``(place, name, row)`` by name and language."""
    lexicon: Lexicon = defaultdict(lambda: {lang: [] for lang in LANGS})
    for _, name, row in named:
        lexicon[name][row["lang"]].append(Term(row["term"], row["kind"], row["agreement"]))
    return dict(lexicon)


def term_problems(row: dict[str, str]) -> list[str]:
    """Say what is wrong with one row by itself."""
    term, lang, found = row["term"], row["lang"], []
    if lang not in LANGS:
        found.append(f"language '{lang}' is none of {', '.join(LANGS)}")
    if row["kind"] not in KINDS:
        found.append(f"kind '{row['kind']}' is none of {', '.join(KINDS)}")
    if lang == "en" and row["agreement"] != NONE:
        found.append(f"agreement '{row['agreement']}' of an English term; write '-'")
    if lang != "en" and row["agreement"] not in AGREEMENTS:
        found.append(f"agreement '{row['agreement']}' is none of {', '.join(AGREEMENTS)}")
    if len(term) > LONGEST:
        found.append(f"the term has {len(term)} characters; shorten it to {LONGEST}")
    if row["kind"] != "abbreviation" and term.isupper() and len(term) > 12:
        found.append(f"'{term}' is all capitals; write it in lower case")
    return found


def holds_code(text: str, known: Container[str]) -> bool:
    """Tell whether a code of the table stands in a text; vitamin B12 is none.

    Example:
        >>> holds_code("HTA (I10)", {"I10"}), holds_code("déficit de B12", {"I10"})
        (True, False)
    """
    found = (parse(match.group()) for match in CODE_STRING.finditer(text.upper()))
    return any(code in known for read in found for code in read.codes)


def set_problems(named: list[tuple[str, str, dict]], minimum: int) -> list[str]:
    """Say which names lack a language, a preferred term or enough distinct terms, or repeat one."""
    by_cell: dict[tuple[str, str], list] = defaultdict(list)
    first: dict[str, str] = {}
    for place, name, row in named:
        by_cell[name, row["lang"]].append((place, row))
        first.setdefault(name, place)
    problems = []
    for name, place in first.items():
        for lang in LANGS:
            cell = by_cell.get((name, lang), [])
            where = cell[0][0] if cell else place
            preferred = sum(row["kind"] == "preferred" for _, row in cell)
            distinct = Counter(fold(row["term"]) for _, row in cell)
            if preferred != 1:
                problems.append(
                    f"{where}: {name} has {preferred} preferred terms in {lang}; mark exactly one"
                )
            if len(distinct) < minimum:
                problems.append(
                    f"{where}: {name} has {len(distinct)} distinct term(s) in {lang}; write at least {minimum}"
                )
            problems += [
                f"{at}: '{row['term']}' stands more than once for {name} in {lang}; keep one"
                for at, row in cell
                if distinct[fold(row["term"])] > 1 and row["kind"] != "preferred"
            ]
    return problems


def ambiguous(lexicon: Lexicon) -> dict[str, set[str]]:
    """Return, by language, the folded terms that stand for more than one name."""
    homes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, by_lang in lexicon.items():
        for lang, terms in by_lang.items():
            for term in terms:
                homes[lang, fold(term.text)].add(name)
    return {
        lang: {text for (at, text), names in homes.items() if at == lang and len(names) > 1} for lang in LANGS
    }


def _code_problems(code: str, number: str, known: Collection[str] | None) -> list[str]:
    if not re.fullmatch(r"[A-Z][0-9][0-9A-Z]", code):
        return [f"'{code}' is no three-character category; write one such as I10"]
    if known is not None and code not in known:
        return [f"{code} is no category of ICD-10-CM; remove it or take one that exists"]
    try:
        right = chapter(code)
    except UserError as error:
        return [str(error)]
    return (
        [] if int(right) == int(number) else [f"{code} belongs in {int(right):02d}.tsv; move its lines there"]
    )


def _ambiguous(named: list[tuple[str, str, dict]]) -> list[str]:
    """Name full terms that stand for two categories; abbreviations may."""
    homes: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for place, name, row in named:
        if row["kind"] != "abbreviation":
            homes[row["lang"], fold(row["term"])].setdefault(name, place)
    return [
        f"{place}: '{text}' ({lang}) also stands for {', '.join(code for code in codes if code != name)}; "
        "keep it where it is most usual"
        for (lang, text), codes in homes.items()
        if len(codes) > 1
        for name, place in codes.items()
    ]


def read_shared(folder: Path, problems: list[str]) -> dict[str, set[str]]:
    """Read the reviewed list of terms that are right in several languages."""
    reviewed: dict[str, set[str]] = {}
    for place, row in read_rows(folder / "shared.tsv", SHARED_HEADER, problems):
        langs = row["langs"].split(",")
        if len(langs) < 2 or set(langs) - set(LANGS):
            problems.append(f"{place}: langs '{row['langs']}'; write two or more of {','.join(LANGS)}")
        reviewed.setdefault(row["term"], set()).update(langs)
    return reviewed


def _unreviewed(named: list[tuple[str, str, dict]], reviewed: dict[str, set[str]]) -> list[str]:
    """Name strings that two languages of one category share without standing in the reviewed list."""
    return [
        f"{max(places.values())}: '{term}' is used in {', '.join(places)}; if it is right in each of them, "
        f"add it to terms/shared.tsv, else correct it"
        for term, places in unreviewed(named, reviewed)
    ]


def unreviewed(
    named: list[tuple[str, str, dict]], reviewed: dict[str, set[str]]
) -> list[tuple[str, dict[str, str]]]:
    """Return each unlisted string that languages of one category share, with language to place."""
    used: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    written: dict[str, str] = {}
    for place, name, row in named:
        used[name, row["term"].casefold()][row["lang"]] = place
        written.setdefault(row["term"].casefold(), row["term"])
    allowed: dict[str, set[str]] = defaultdict(set)
    for term, langs in reviewed.items():
        allowed[term.casefold()] |= langs
    return [
        (written[term], places)
        for (_, term), places in used.items()
        if len(places) > 1 and not set(places) <= allowed[term]
    ]
