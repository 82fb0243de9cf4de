"""Say what a code means in one of six languages: a term, what modifies it, in a natural order.

Adjectives agree with the head noun of the term; laterality agrees with the body part where one is
named. Nothing is translated here: words come from the lexicon's files.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clinbench.coding.lexicon.meanings import Meaning, role
from clinbench.coding.lexicon.terms import Lexicon, Term
from clinbench.coding.lexicon.vocabulary import KINDS, Forms, Vocabulary
from clinbench.coding.text import tokens

# Prepositions and conjunctions inside a term: an adjective of side after one would go with the wrong noun.
_LINKS = """of in by with without due to on for after from de del d l en por con sin tras entre da do dos das em no na
nos nas num numa ao aos com sem após pelo pela di della dello dell dei degli delle nel nella nello nell nei negli nelle
al allo all alla ai agli alle dal dalla dall dai sul sulla su per tra amb sense pel pels als dins des du le la les au
aux et y i e ou o u à a sur dans par avec sans chez pour"""
LINKS = frozenset(tokens(_LINKS))
_WITHS = "with without con sin senza amb sense com sem avec sans"
_WITH = frozenset(_WITHS.split())
AGREES = {"en": "ms"}  # the one form of English adjectives; elsewhere that of the noun
APPOSED = frozenset({"encounter", "trimester"})  # kinds that follow after a comma
LOOSE = frozenset({"laterality", "stage"})  # kinds that do, unless they come first
_NOUNS = "single_episode unstageable mild_stage moderate_stage severe_stage indeterminate_stage"
NOUNS = frozenset(_NOUNS.split())  # modifiers that stand beside the term as nouns do
# Of two of a kind these stand farther from the noun: "displaced oblique fracture", "fractura oblicua desplazada".
FARTHER = frozenset({"displaced", "nondisplaced", "juvenile"})
OF_THE_TERM = frozenset({"bilateral", "unilateral"})  # sides that no single body part has
OF_A_FRACTURE = ("initial_closed", "initial_open")  # their phrases agree with "fracture", not with the term
EXCLUSIVE = frozenset(
    {"acuity", "severity", "laterality", "order", "course"}
)  # a term that says one bears no other

ADJECTIVAL = frozenset({"order", "acuity", "severity", "course", "type"})


class Words(NamedTuple):
    """The parts of a text: the term with its adjectives (before it in English), then what follows.

    Attributes:
        before: adjectives in front of the term (English only).
        term: the term.
        after: adjectives behind the term.
        tail: ``(text, apposed)``: site, phrases, encounter; apposed ones follow after a comma.
        names: of the modifiers in the order of the text.
    """

    before: list[str]
    term: str
    after: list[str]
    tail: list[tuple[str, bool]]
    names: list[str]


class Composer:
    """Composes texts from a lexicon and a vocabulary."""

    def __init__(self, lexicon: Lexicon, vocabulary: Vocabulary):
        self.vocabulary = vocabulary
        self._heads = {**lexicon, **vocabulary.heads}
        self._marks = {
            kind: {lang: self._mark_words(kind, lang) for lang in next(iter(self._heads.values()), {})}
            for kind in EXCLUSIVE
        }

    def terms(self, meaning: Meaning, lang: str) -> list[Term]:
        """Return the terms of a meaning's head that its modifiers fit.

        A term that already says something of a modifier's kind does not, and lay words take no adjective
        where there are others, nor what is said of a fracture.
        """
        kinds = {self.vocabulary.kinds[name] for name in meaning.modifiers}
        taken = set().union(*(self._marks[kind][lang] for kind in kinds & EXCLUSIVE))
        terms = self._heads[meaning.head].get(lang, [])
        fitting = [term for term in terms if not taken & set(tokens(term.text))]
        formal = [term for term in fitting if term.kind != "lay"]
        strict = kinds & ADJECTIVAL or any(name.startswith(OF_A_FRACTURE) for name in meaning.modifiers)
        return formal if formal and strict else fitting

    def words(
        self, meaning: Meaning, lang: str, term: Term, rng: np.random.Generator, short: float = 0.0
    ) -> Words:
        """Choose the words for a meaning.

        Args:
            meaning: what to say.
            lang: one of the lexicon's languages.
            term: one of ``terms(meaning, lang)``.
            rng: draws between forms.
            short: probability of a modifier's short form, where it has one.
        """
        kinds = self.vocabulary.kinds
        names = sorted(meaning.modifiers, key=lambda name: _rank(name, kinds[name], lang))
        sites = sorted((name for name in names if kinds[name] == "site"), key=self._breadth)
        sides = [name for name in names if kinds[name] == "laterality" and name not in OF_THE_TERM]
        side = sides[0] if sides and sites else None
        words = Words([], term.text, [], [], names)
        for name in names:
            if name in sites:
                if name == sites[0]:
                    part = self.vocabulary.sites[sites[0]][lang]
                    apart = meaning.head not in self.vocabulary.heads and _compound(term.text)
                    apart = apart or bool(words.tail) or _shared(term.text, f"{part.noun} {part.genitive}")
                    words.tail.append((self._place(sites, side, lang, apart, rng, short), apart))
            elif name != side:
                self._add(words, name, lang, term, rng, short)
        return words

    def _add(
        self, words: Words, name: str, lang: str, term: Term, rng: np.random.Generator, short: float
    ) -> None:
        forms, kind = self.vocabulary.modifiers[name][lang], self.vocabulary.kinds[name]
        if forms.shorts and rng.random() < short:
            words.tail.append((pick(forms.shorts, rng), kind in APPOSED))
            return
        side = kind == "laterality" and forms.phrases and _compound(term.text)
        # Where both are right, the adjective is what clinicians mostly write.
        adjective = forms.adjective and not side and (not forms.phrases or rng.random() < 0.8)
        if not adjective:
            phrase = pick(forms.phrases, rng)
            beside = kind in APPOSED or name in NOUNS or (kind in LOOSE and bool(words.tail))
            if kind == "laterality":
                again = _shared(term.text, phrase)  # then its bare noun, which comes first
                phrase = forms.phrases[0] if again else phrase
                beside = beside or again or tokens(phrase)[0] not in LINKS
            words.tail.append((phrase, beside))
        elif lang == "en":
            words.before.append(forms.adjective["ms"])
        else:
            words.after.append(forms.adjective[term.agreement])

    def _place(
        self,
        sites: list[str],
        side: str | None,
        lang: str,
        apart: bool,
        rng: np.random.Generator,
        short: float,
    ) -> str:
        """Name a body part, from the part to the whole, with its side; ``apart`` puts the noun first."""
        places = [self.vocabulary.sites[name][lang] for name in sites]
        forms = self.vocabulary.modifiers[side][lang] if side else Forms({}, (), ())
        last, sided = places[-1], ""
        if side and last.role == "whole":
            brief = forms.shorts and rng.random() < short
            sided = (
                pick(forms.shorts, rng)
                if brief
                else forms.adjective.get(AGREES.get(lang, last.agreement), "")
            )
        if lang == "en":
            nouns = [*(place.noun for place in places[:-1]), f"{sided} {last.noun}".strip()]
            text = " of ".join(nouns)
            bare = sided or sites[0] == "multiple_sites"
            text = text if apart else f"of {'' if bare else 'the '}{text}"
        else:
            first = places[0].noun if apart else places[0].genitive
            text = " ".join([first, *(place.genitive for place in places[1:]), sided]).strip()
        if side and not sided:
            text += f", {pick(forms.phrases or forms.shorts, rng)}"
        return text

    def _breadth(self, site: str) -> tuple[bool, str]:
        return role(site, self.vocabulary) == "whole", site

    def _mark_words(self, kind: str, lang: str) -> set[str]:
        """Return the words that say something of a kind: its adjectives and one-word phrases."""
        found = set()
        for name, by_lang in self.vocabulary.modifiers.items():
            if self.vocabulary.kinds[name] == kind:
                for form in by_lang[lang].adjective.values():
                    found |= set(tokens(form)) if " " not in form else set()
        return found


def plain(words: Words) -> str:
    """Join words in the usual order of the language.

    Example:
        ``Words(["acute"], "otitis media", [], [("with perforation", False)], …)`` reads
        ``acute otitis media with perforation``.
    """
    text, apart = " ".join([*words.before, words.term, *words.after]), False
    for part, apposed in words.tail:
        # What follows a comma would go with the words before it, and a second "with" with the first one's.
        apart = apart or apposed or (tokens(part)[0] in _WITH and bool(_WITH & set(tokens(text))))
        text += f", {part}" if apart else f" {part}"
        apart = apart or ", " in part
    return text


def reordered(words: Words, rng: np.random.Generator) -> str:
    """Join words as lists and headings do: the term first, everything else in any order, by commas."""
    rest = [*words.before, *words.after, *(part for part, _ in words.tail)]
    if not rest:
        return words.term
    order = rng.permutation(len(rest))
    return ", ".join([words.term, *(rest[at] for at in order)])


def pick(choices: Sequence, rng: np.random.Generator):
    """Draw one of the choices."""
    return choices[int(rng.integers(len(choices)))]


def _rank(name: str, kind: str, lang: str) -> tuple[int, bool, str]:
    """Return a modifier's place: "mild persistent asthma", but "asma persistente leve"."""
    order = list(KINDS)
    if lang != "en":
        order.insert(order.index("course"), order.pop(order.index("severity")))
    return order.index(kind), (name in FARTHER) != (lang == "en"), name


def _shared(term: str, noun: str) -> bool:
    """Tell whether a term already says the body part's noun: "trigger finger, ring finger", not "of ring finger"."""
    stems = [{word[:5] for word in tokens(text) if word not in LINKS} for text in (term, noun)]
    return bool(stems[0] & stems[1])


def _compound(term: str) -> bool:
    """Tell whether a term holds a preposition, so that what follows need not belong to its head noun."""
    return bool(LINKS & set(tokens(term)[1:]))
