"""Tell apart the six languages by their letter triples; made for short clinical texts.

Romance languages share many clinical words, so the answer is only used to refuse a text that clearly
belongs to another language than it claims.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from clinbench.coding.lexicon.terms import Lexicon
from clinbench.coding.lexicon.vocabulary import Vocabulary
from clinbench.coding.text import fold

MARGIN = 8.0  # nats by which another language must be likelier
_WORD = re.compile(r"[^\W\d_]+")


class LanguageGuess:
    """A naive Bayes model over the letter triples of words, with and without accents.

    Args:
        texts: language to texts in it; at least two languages.
    """

    def __init__(self, texts: Mapping[str, Iterable[str]]):
        counts = {}
        for lang, lines in texts.items():
            counts[lang] = Counter()
            for line in lines:
                counts[lang].update(triples(line))
                counts[lang].update(triples(fold(line)))
        kinds = len(set().union(*counts.values())) + 1
        self._log = {
            lang: (
                {gram: math.log((number + 0.5) / (total + 0.5 * kinds)) for gram, number in found.items()},
                math.log(0.5 / (total + 0.5 * kinds)),
            )
            for lang, found in counts.items()
            for total in [sum(found.values())]
        }

    def scores(self, text: str) -> dict[str, float]:
        """Return each language's log-likelihood of a text in nats; 0 for all where it has no letters."""
        grams = triples(text)
        return {
            lang: sum(known.get(gram, unseen) for gram in grams)
            for lang, (known, unseen) in self._log.items()
        }

    def contradicts(self, text: str, lang: str, margin: float = MARGIN) -> bool:
        """Tell whether another language is likelier than ``lang`` by more than ``margin`` nats."""
        scores = self.scores(text)
        return max(scores.values()) - scores[lang] > margin


def triples(text: str) -> list[str]:
    """Return the letter triples of a text's words, each word in blanks; lower case.

    Example:
        >>> triples("Asma 2")
        [' as', 'asm', 'sma', 'ma ']
    """
    padded = (f" {word} " for word in _WORD.findall(text.lower()))
    return [word[at : at + 3] for word in padded for at in range(len(word) - 2)]


def known_texts(lexicon: Lexicon, vocabulary: Vocabulary) -> dict[str, list[str]]:
    """Return all words of the lexicon but abbreviations, by language, for ``LanguageGuess``."""
    texts: dict[str, list[str]] = {}
    for entry in (*lexicon.values(), *vocabulary.heads.values()):
        for lang, terms in entry.items():
            texts.setdefault(lang, []).extend(term.text for term in terms if term.kind != "abbreviation")
    for entry in vocabulary.modifiers.values():
        for lang, forms in entry.items():
            texts.setdefault(lang, []).extend([*forms.adjective.values(), *forms.phrases])
    for entry in vocabulary.sites.values():
        for lang, site in entry.items():
            texts.setdefault(lang, []).extend([site.noun, site.genitive])
    return texts
