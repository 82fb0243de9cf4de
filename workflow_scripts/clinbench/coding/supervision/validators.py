"""What an example of data set A must be, each rule with its own reason for refusal (coding.md 1.1)."""

import math
from collections import Counter, defaultdict
from collections.abc import Container

from clinbench.coding.codes import level
from clinbench.coding.lexicon.terms import holds_code
from clinbench.coding.supervision.languages import LanguageGuess, triples
from clinbench.coding.text import fold

SHORTEST, LONGEST = 3, 200  # characters of a text; abbreviations of two letters are too many things
NEAR = 0.95  # cosine of letter triples from which two queries of one code are one query

REASONS = {
    "unknown_code": "a code that the table lacks",
    "own_code": "a negative with the example's own code",
    "hard_chapter": "a hard negative of another chapter",
    "soft_chapter": "a soft negative of the same chapter",
    "same_text": "query, positive and negatives are not all different after folding",
    "code_in_text": "a code written in the query",
    "length": f"a text outside {SHORTEST} to {LONGEST} characters",
    "language": "a query that is clearly in another language",
    "duplicate": "the query was there before in this language",
    "near_duplicate": "almost the same query was there before for this language and code",
    "leak": "the query is a mention of an evaluation set",
}


class Validators:
    """Checks examples one after the other and remembers those it accepted.

    Args:
        codes: canonical codes of the table.
        languages: tells languages apart, or None to skip that rule.
        leaks: folded mentions that no query may equal (the strict leak guard), if any.

    Attributes:
        refused: number of refusals by reason, every reason listed.
    """

    def __init__(
        self, codes: Container[str], languages: LanguageGuess | None = None, leaks: Container[str] = ()
    ):
        self._codes, self._languages, self._leaks = codes, languages, leaks
        self._seen: set[tuple[str, str]] = set()
        self._grams: dict[tuple[str, str], list[Counter]] = defaultdict(list)
        self.refused = Counter(dict.fromkeys(REASONS, 0))

    def accept(self, example: dict) -> bool:
        """Check an example; count its reason if it is refused, remember it if not."""
        reason = self.reason(example)
        if reason:
            self.refused[reason] += 1
            return False
        lang, query = example["lang"], example["query"]
        self._seen.add((lang, fold(query)))
        self._grams[lang, example["code"]].append(Counter(triples(fold(query))))
        return True

    def reason(self, example: dict) -> str | None:
        """Return why an example is refused (a key of ``REASONS``), or None."""
        return (
            _code_reason(example, self._codes)
            or _text_reason(example, self._codes)
            or self._query_reason(example)
        )

    def _query_reason(self, example: dict) -> str | None:
        lang, query = example["lang"], example["query"]
        folded = fold(query)
        if self._languages and self._languages.contradicts(query, lang):
            return "language"
        if (lang, folded) in self._seen:
            return "duplicate"
        if folded in self._leaks:
            return "leak"
        grams = Counter(triples(folded))
        if any(cosine(grams, other) >= NEAR for other in self._grams[lang, example["code"]]):
            return "near_duplicate"
        return None


def cosine(a: Counter, b: Counter) -> float:
    """Return the cosine of two counts; 0 where one is empty."""
    norm = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return sum(n * b[gram] for gram, n in a.items()) / norm if norm else 0.0


def _code_reason(example: dict, codes: Container[str]) -> str | None:
    code, hard, soft = example["code"], example["hard_negatives"], example["soft_negatives"]
    if any(other not in codes for other in [code, *(item["code"] for item in hard + soft)]):
        return "unknown_code"
    if any(item["code"] == code for item in hard + soft):
        return "own_code"
    own = level(code, "chapter")
    if any(level(item["code"], "chapter") != own for item in hard):
        return "hard_chapter"
    if any(level(item["code"], "chapter") == own for item in soft):
        return "soft_chapter"
    return None


def _text_reason(example: dict, codes: Container[str]) -> str | None:
    negatives = [item["text"] for item in example["hard_negatives"] + example["soft_negatives"]]
    texts = [example["query"], example["positive"], *negatives]
    query, positive, *rest = map(fold, texts)
    if query == positive or {query, positive} & set(rest):
        return "same_text"
    if holds_code(example["query"], codes):
        return "code_in_text"
    if not all(SHORTEST <= len(text) <= LONGEST for text in texts):
        return "length"
    return None
