"""Read official English titles: which head, modifiers and sites a code adds up to.

A code is understood only if every word of its title is: words of its category's title, words that
``titles.tsv`` explains, and nothing else. What is not understood is not composed.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from clinbench.coding.lexicon.terms import Lexicon
from clinbench.coding.lexicon.vocabulary import NEUTRAL, Vocabulary, Wording
from clinbench.coding.text import tokens

# Words of a category's title that its codes need not repeat.
_FILLERS = "other unspecified specified and of the in or nec nos elsewhere classified not by to"
FILLERS = frozenset(_FILLERS.split())
ADDING_NOTHING = FILLERS - {"other"}  # an "other" that its category does not have excludes what we can say


class Meaning(NamedTuple):
    """What a code means.

    Attributes:
        code: canonical code.
        head: a category of the lexicon or an entry of ``heads.tsv``.
        modifiers: names of modifiers and sites.
    """

    code: str
    head: str
    modifiers: frozenset[str]


def read_meanings(
    titles: Mapping[str, str], lexicon: Lexicon, vocabulary: Vocabulary
) -> tuple[dict[str, Meaning], dict[str, int]]:
    """Return the codes that the lexicon can say, and counts of the others.

    Where a heading and codes below it mean the same, the deepest of them is kept, as coding rules ask
    for (I50.9, not I50, is plain heart failure). Codes that mean the same and lie on no such line are
    ambiguous and left out.

    Args:
        titles: official English title of every code, headings included.
        lexicon: terms by category.
        vocabulary: modifiers, sites, heads and title wordings.

    Returns:
        Meanings by code, sorted; and ``not_understood``, ``same_as_deeper`` and ``ambiguous`` counts over
        the codes of the lexicon's categories.
    """
    groups: dict[tuple, list[Meaning]] = defaultdict(list)
    counts = {"understood": 0, "not_understood": 0, "same_as_deeper": 0, "ambiguous": 0}
    for code, title in titles.items():
        meaning = read_title(code, title, titles.get(code[:3], ""), lexicon, vocabulary)
        if meaning is not None:
            groups[meaning.head, meaning.modifiers].append(meaning)
        elif code[:3] in lexicon:
            counts["not_understood"] += 1
    kept = []
    for group in groups.values():
        deepest = max(group, key=lambda meaning: (len(meaning.code), meaning.code))
        if all(deepest.code.startswith(meaning.code) for meaning in group):
            kept.append(deepest)
            counts["same_as_deeper"] += len(group) - 1
        else:
            counts["ambiguous"] += len(group)
    counts["understood"] = len(kept)
    return {meaning.code: meaning for meaning in sorted(kept)}, counts


def read_title(
    code: str, title: str, category_title: str, lexicon: Lexicon, vocabulary: Vocabulary
) -> Meaning | None:
    """Return what a title means, or None where a word of it is not understood.

    Example:
        ``Unilateral primary osteoarthritis, right knee`` under ``Osteoarthritis of knee`` is head M17 with
        ``primary`` and ``right``.
    """
    words = tokens(title)
    by_head, specific = _by_head(code, words, vocabulary)
    if (by_head is not None and specific) or code[:3] not in lexicon:
        return by_head
    return _by_category(code, words, category_title, vocabulary) or by_head


def _by_category(code: str, words: list[str], category_title: str, vocabulary: Vocabulary) -> Meaning | None:
    """Read a title as its category with modifiers."""
    own = set(tokens(category_title))
    content = own - FILLERS
    if len(code) > 3 and ("unspecified" not in words or "specified" in words):
        own.discard("other")  # a leaf's "other" is what its neighbours leave, "unspecified eye" or not
    found, rest = _explain(words, code, vocabulary, own, set(vocabulary.heads))
    # A leaf that drops a word of its category is about something narrower than the category's terms.
    if not content <= set(words) or not set(rest) <= own | ADDING_NOTHING:
        return None
    return _meaning(code, code[:3], [wording.means for wording in found], vocabulary)


def _by_head(code: str, words: list[str], vocabulary: Vocabulary) -> tuple[Meaning | None, bool]:
    """Read a title as an entry of ``heads.tsv`` with modifiers, and tell whether that belongs to this category."""
    found, rest = _explain(words, code, vocabulary, set(), set())
    heads = [wording for wording in found if wording.means in vocabulary.heads]
    if len({wording.means for wording in heads}) != 1 or set(rest) - ADDING_NOTHING:
        return None, False
    names = [wording.means for wording in found if wording.means not in vocabulary.heads]
    specific = all(len(prefix) >= 3 for wording in heads for prefix in wording.under)
    return _meaning(code, heads[0].means, names, vocabulary), specific


def _explain(
    words: list[str], code: str, vocabulary: Vocabulary, own: set[str], without: set[str]
) -> tuple[list[Wording], list[str]]:
    """Split words into the longest wordings and what is left.

    Wordings of ``own`` words only and wordings that mean something in ``without`` are not looked at.
    """
    found, rest, at = [], [], 0
    while at < len(words):
        for wording in vocabulary.wordings.get(words[at], ()):
            if (
                tuple(words[at : at + len(wording.words)]) == wording.words
                and (not wording.under or code.startswith(wording.under))
                and not set(wording.words) <= own
                and wording.means not in without
            ):
                found.append(wording)
                at += len(wording.words)
                break
        else:
            rest.append(words[at])
            at += 1
    return found, rest


def _meaning(code: str, head: str, found: list[str], vocabulary: Vocabulary) -> Meaning | None:
    """Put a meaning together; None where it names two whole body parts or two modifiers of one side."""
    names = set(found) - {NEUTRAL}
    if names & {"right", "left"}:
        names.discard("unilateral")  # implied
    if names & {"initial_open_12", "initial_open_3"}:
        names.discard("initial_open")  # titles add "or open fracture NOS"
    wholes = [name for name in names if name in vocabulary.sites and role(name, vocabulary) == "whole"]
    sides = [name for name in names if vocabulary.kinds[name] == "laterality"]
    return Meaning(code, head, frozenset(names)) if len(wholes) < 2 and len(sides) < 2 else None


def role(site: str, vocabulary: Vocabulary) -> str:
    """Return the role of a site, which is the same in every language."""
    return next(iter(vocabulary.sites[site].values())).role
