"""ICD-10 codes: canonical spelling, and the levels at which they are compared.

The canonical form is upper case with a dot after the third character
(``S22.39XA``, ``Z3A``). Codes are always strings. Chapters follow coding.md
section 3.2: a chapter is a range of categories, not a first letter.
"""

import re
import unicodedata
from collections.abc import Container
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from clinbench.errors import UserError

LEVELS = ("exact", "category", "chapter")
EDITIONS = {"cm": "ICD-10-CM / CIE-10-ES", "who": "WHO ICD-10"}

# First and last category of chapters 1 to 22; letters sort after digits, so O9A follows O99.
_CHAPTERS = {
    "cm": (
        "A00-B99 C00-D49 D50-D89 E00-E89 F01-F99 G00-G99 H00-H59 H60-H95 I00-I99 J00-J99 K00-K95 "
        "L00-L99 M00-M99 N00-N99 O00-O9A P00-P96 Q00-QA0 R00-R99 S00-T88 V00-Y99 Z00-Z99 U00-U85"
    ),
    "who": (
        "A00-B99 C00-D48 D50-D89 E00-E90 F00-F99 G00-G99 H00-H59 H60-H95 I00-I99 J00-J99 K00-K93 "
        "L00-L99 M00-M99 N00-N99 O00-O99 P00-P96 Q00-Q99 R00-R99 S00-T98 V01-Y98 Z00-Z99 U00-U99"
    ),
}
_RANGES = {edition: [part.split("-") for part in text.split()] for edition, text in _CHAPTERS.items()}

_SHAPE = re.compile(r"[A-Z][0-9A][0-9A-Z](\.[0-9A-Z]{1,4})?")
# Greek and Cyrillic capitals that print like the Latin letters of a code.
_LOOKALIKES = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕЅІЈКМНОРСТХ", "ABEZHIKMNOPTYXABESIJKMHOPCTX")
_DASHES = str.maketrans("‐‑‒–—−", "------")
_BLANKS = r"[\s\u200b\ufeff]+"
# Blanks between two whole codes, as in "A00 R05"; those of "S22 39XA" and "I10 - I15" are none.
_WRITTEN = r"[A-Z][0-9A][0-9A-Z](?:\.?[0-9A-Z]{1,4})?"
_BLANK_JOIN = re.compile(rf"(?<![0-9A-Z.-])({_WRITTEN}\.?[†‡*+]?){_BLANKS}(?={_WRITTEN}(?![0-9A-Z]))")


class Code(NamedTuple):
    """What a written code means.

    Attributes:
        kind: ``single``, ``range`` (first and last code), ``multi`` (all of them) or ``invalid``.
        codes: the canonical codes; empty if invalid.
        changes: what was changed to reach them, one phrase each.
    """

    kind: Literal["single", "range", "multi", "invalid"]
    codes: tuple[str, ...]
    changes: tuple[str, ...]


@lru_cache(maxsize=200_000)
def parse(raw: str) -> Code:
    """Read a code in any spelling: case, blanks, dots, look-alike letters, ranges, joins by ``+``, ``|`` or a blank.

    Example:
        >>> parse(" i10. ")
        Code(kind='single', codes=('I10',), changes=('upper-cased', 'blanks removed', 'dot corrected'))
        >>> parse("I10-I15.9").codes
        ('I10', 'I15.9')
        >>> parse("A00 R05")
        Code(kind='multi', codes=('A00', 'R05'), changes=('blank read as a join',))
    """
    text, changes = _clean(raw)
    parts = re.split(r"[+|]", text)
    kind = "multi" if len(parts) > 1 else "single"
    if kind == "single" and re.fullmatch(r"[^-]+-[^-]+", text):
        kind, parts = "range", text.split("-")
    dotted = [_dotted(part) for part in parts]
    if not dotted or not all(_SHAPE.fullmatch(code) for code in dotted):
        return Code("invalid", (), tuple(changes))
    if dotted != parts:
        changes.append("dot corrected")
    if kind == "range" and dotted[0] > dotted[1]:
        dotted.reverse()
        changes.append("ends of the range exchanged")
    return Code(kind, tuple(dotted), tuple(changes))


def normalise(code: str) -> str:
    """Return the canonical spelling of one code.

    Raises:
        UserError: a range, several codes, or nothing of the shape of an ICD-10 code.
    """
    found = parse(code)
    if found.kind == "single":
        return found.codes[0]
    if found.kind == "invalid":
        raise UserError(
            f"{code!r} is no ICD-10 code{_spoilt(code)}. Expected a form such as I10 or S22.39XA."
        )
    what = "a range of codes" if found.kind == "range" else "several codes"
    raise UserError(f"{code!r} is {what} ({', '.join(found.codes)}); one code is needed here.")


def strip_placeholder(code: str, known: Container[str]) -> str:
    """Drop placeholder letters X at the end of a canonical code that the table lacks.

    Args:
        code: canonical code, e.g. ``W19.XXX``.
        known: the table's canonical codes.

    Returns:
        The longest stripped form in ``known`` (``W19``); ``code`` unchanged if it is known
        itself or no stripped form is.
    """
    stripped = code
    while stripped not in known:
        if not stripped.endswith("X") or len(stripped) <= 3:
            return code
        stripped = stripped[:-1].rstrip(".")
    return stripped


def resolve(raw: str, known: Container[str]) -> Code:
    """Parse a code and drop placeholders that the table lacks, which is one more of ``changes``.

    Example:
        >>> resolve("w19.xxx", {"W19"})
        Code(kind='single', codes=('W19',), changes=('upper-cased', 'placeholder X removed'))
    """
    found = parse(raw)
    codes = tuple(strip_placeholder(code, known) for code in found.codes)
    if codes == found.codes:
        return found
    return Code(found.kind, codes, (*found.changes, "placeholder X removed"))


def level(code: str, name: str, edition: str = "cm") -> str:
    """Map a canonical code to ``exact`` (itself), ``category`` (3 characters) or ``chapter`` ("1" to "22").

    Raises:
        UserError: another level, or a code in no chapter of the edition.
    """
    if name == "exact":
        return code
    if name == "category":
        return code[:3]
    if name == "chapter":
        return chapter(code[:3], edition)
    raise UserError(f"No level '{name}'. There are: {', '.join(LEVELS)}.")


def level_or_own(code: str, name: str, edition: str = "cm") -> str:
    """As ``level``, but a code in no chapter is a class of its own, so that it counts as wrong, not as fatal."""
    try:
        return level(code, name, edition)
    except UserError:
        return f"none:{code}"


def in_edition(category: str, edition: str) -> bool:
    """Tell whether a three-character category is in a chapter of an edition."""
    return _chapter(category, edition) is not None


@cache
def chapter(category: str, edition: str = "cm") -> str:
    """Return the chapter ("1" to "22") of a three-character category.

    Raises:
        UserError: no chapter holds it; the other edition is named if one of its chapters does.
    """
    number = _chapter(category, edition)
    if number is not None:
        return number
    others = [EDITIONS[other] for other in EDITIONS if _chapter(category, other) is not None]
    hint = f"; {others[0]} has it" if others else ""
    raise UserError(f"Category '{category}' is in no chapter of {EDITIONS[edition]}{hint}.")


def _chapter(category: str, edition: str) -> str | None:
    for number, (first, last) in enumerate(_RANGES[edition], 1):
        if first <= category <= last:
            return str(number)
    return None


def _clean(raw: str) -> tuple[str, list[str]]:
    """Remove everything about a spelling that carries no meaning, and say what was removed."""
    steps = (
        ("compatibility characters replaced", lambda text: unicodedata.normalize("NFKC", text)),
        ("upper-cased", str.upper),
        ("Greek or Cyrillic letters replaced", lambda text: text.translate(_LOOKALIKES)),
        ("dash replaced", lambda text: text.translate(_DASHES)),
        ("blank read as a join", lambda text: _BLANK_JOIN.sub(r"\1|", text)),
        ("blanks removed", lambda text: re.sub(_BLANKS, "", text)),
        ("dagger or asterisk removed", lambda text: re.sub("[†‡*]", "", text)),
        ("empty join removed", lambda text: re.sub(r"([+|])[+|]+", r"\1", text).strip("+|")),
        ("trailing dash removed", lambda text: text.rstrip("-")),
    )
    text, changes = raw, []
    for phrase, step in steps:
        cleaned = step(text)
        if cleaned != text:
            changes.append(phrase)
        text = cleaned
    return text, changes


def _dotted(code: str) -> str:
    """Put the dot after the third character where it is missing; one elsewhere stays, and is invalid."""
    code = code.rstrip(".")
    if "." not in code and len(code) > 3:
        return f"{code[:3]}.{code[3:]}"
    return code


def _spoilt(code: str) -> str:
    """Name the usual ways in which a code was destroyed before it reached us."""
    text = code.strip()
    if re.fullmatch(r"\d+(\.\d+)?[eE][+-]?\d+|\d+\.0+", text):
        return " but a number written by a spreadsheet; take the code from the original file as text"
    if re.fullmatch(r"\d{3}(\.?\d{1,2})?", text):
        return " (it has the shape of an ICD-9 code)"
    return ""
