"""Tutor ``lexicon``: examples composed from the multilingual lexicon; no network, seconds.

A deterministic generator over the ICD-10-CM hierarchy. Its examples are this project's, not the paper's.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from clinbench.coding.lexicon.compose import Composer, pick, plain, reordered
from clinbench.coding.lexicon.hierarchy import Hierarchy
from clinbench.coding.lexicon.meanings import Meaning, read_meanings
from clinbench.coding.lexicon.negatives import Negatives
from clinbench.coding.lexicon.noise import add_noise
from clinbench.coding.lexicon.terms import Lexicon, ambiguous
from clinbench.coding.lexicon.vocabulary import Vocabulary
from clinbench.coding.supervision.languages import LanguageGuess, known_texts
from clinbench.coding.supervision.report import summary
from clinbench.coding.supervision.turns import Turns
from clinbench.coding.supervision.validators import Validators
from clinbench.coding.text import fold
from clinbench.errors import UserError
from clinbench.runtime import cell_seed

ATTEMPTS = 6  # texts tried for a code before the next code has its turn
OFFICIAL = 0.3  # share of the positives that are official titles


class LexiconTutor:
    """Makes examples of data set A.

    Args:
        lexicon: terms by category and language.
        vocabulary: modifiers, sites, heads and title wordings.
        hierarchy: official titles and blocks.
        noise: rate of each kind of noise (``noise.RATES``).
        hard, soft: how many negatives an example has.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        vocabulary: Vocabulary,
        hierarchy: Hierarchy,
        noise: Mapping[str, float],
        hard: int = 3,
        soft: int = 1,
    ):
        self.hierarchy, self.noise, self.hard, self.soft = hierarchy, dict(noise), hard, soft
        self.meanings, self.grammar = read_meanings(hierarchy.titles, lexicon, vocabulary)
        self.kinds = vocabulary.kinds
        self.composer = Composer(lexicon, vocabulary)
        self.languages = LanguageGuess(known_texts(lexicon, vocabulary))
        self._ambiguous = ambiguous(lexicon)

    def make(
        self,
        count: int,
        langs: Sequence[str],
        seed: int = 0,
        evaluation: Mapping[str, set[str]] | None = None,
        strict: bool = False,
        without: Collection[str] = (),
    ) -> tuple[list[dict], dict]:
        """Return ``count`` examples, spread evenly over the languages, and a report.

        Args:
            count: how many.
            langs: languages; the first ones get one more where the count does not divide.
            seed: the same seed gives the same examples.
            evaluation: name of an evaluation set to its folded mentions, for the leak guard.
            strict: refuse queries that equal such a mention instead of only counting them.
            without: categories kept out of queries and negatives.

        Raises:
            UserError: the lexicon has not enough to say for so many examples.
        """
        meanings = {code: meaning for code, meaning in self.meanings.items() if code[:3] not in without}
        evaluation = evaluation or {}
        leaks = set().union(*evaluation.values()) if strict else set()
        validators = Validators(self.hierarchy.titles, self.languages, leaks)
        negatives = Negatives(meanings, self.kinds, self.hierarchy.blocks)
        turns = Turns(meanings, count, seed)
        examples, near = [], Counter()
        for at, lang in enumerate(langs):
            wanted = count // len(langs) + (at < count % len(langs))
            made = self._language(lang, wanted, turns, negatives, validators, seed, near)
            if len(made) < wanted:
                raise UserError(
                    f"The lexicon yields {len(made)} different examples in '{lang}'; {wanted} are asked for. Lower "
                    "coding.supervision.examples or add term files."
                )
            examples += made
        report = summary(examples, langs, validators, evaluation) | {
            "generator": "lexicon: composed by this project's grammar, not the paper's data",
            "grammar": self.grammar,
            "hard_negatives": dict(near),
            "held_out": sorted({code[:3] for code in self.meanings} & set(without)),
        }
        return examples, report

    def _language(
        self,
        lang: str,
        wanted: int,
        turns: Turns,
        negatives: Negatives,
        validators: Validators,
        seed: int,
        near: Counter,
    ) -> list[dict]:
        """Make one language's examples."""
        rng = np.random.default_rng(cell_seed("lexicon", lang, seed))
        made: list[dict] = []
        for code in turns.codes():
            if len(made) == wanted:
                break
            for _ in range(ATTEMPTS):
                example = self._example(code, lang, negatives, rng, near_of := {})
                if example is None or not validators.accept(example):
                    continue
                example = {"id": f"A-{lang}-{len(made):05d}", **example}
                example["meta"]["seed"] = seed
                made.append(example)
                near.update(near_of.values())
                turns.used(code)
                break
            else:
                turns.failed(code)
        return made

    def _example(
        self, code: str, lang: str, negatives: Negatives, rng: np.random.Generator, near: dict[str, str]
    ) -> dict | None:
        """Compose one example without its id, or None where the language has no fitting words."""
        meaning = self.meanings[code]
        query, term, pattern = self.query(meaning, lang, rng)
        if query is None:
            return None
        official = rng.random() < OFFICIAL
        positive = None if official else self.clean(meaning, lang, rng, other_than=term)
        if positive is None:
            official, positive = True, self.hierarchy.titles[code]
        hard = negatives.hard(code, self.hard, rng)
        near.update(hard)
        say = self._title if official else lambda other: self.clean(self.meanings[other], lang, rng)
        texts = [
            [{"code": other, "text": say(other) or self._title(other)} for other in chosen]
            for chosen in ([other for other, _ in hard], negatives.soft(code, self.soft, rng))
        ]
        return {
            "lang": lang,
            "code": code,
            "query": query,
            "positive": positive,
            "positive_kind": "official" if official else "synonym",
            "hard_negatives": texts[0],
            "soft_negatives": texts[1],
            "meta": {"generator": "lexicon", "prompt_id": pattern, "seed": 0},
        }

    def query(
        self, meaning: Meaning, lang: str, rng: np.random.Generator
    ) -> tuple[str | None, str | None, str]:
        """Return a noisy query, the term it is made from and its pattern ``term+laterality~typos``."""
        terms = self.composer.terms(meaning, lang)
        brief = [term for term in terms if term.kind == "abbreviation"]
        full = [term for term in terms if term.kind != "abbreviation"]
        short = bool(brief) and rng.random() < self.noise["abbreviations"]
        if not meaning.modifiers:
            unclear = self._ambiguous[lang]
            brief, full = (
                [term for term in kind if fold(term.text) not in unclear] for kind in (brief, full)
            )
        choices = (brief if short else full) or full or brief
        if not choices:
            return None, None, ""
        term = pick(choices, rng)
        words = self.composer.words(meaning, lang, term, rng, self.noise["abbreviations"])
        order = bool(meaning.modifiers) and rng.random() < self.noise["word_order"]
        text, applied = add_noise(reordered(words, rng) if order else plain(words), lang, self.noise, rng)
        applied = ["abbreviation"] * (term.kind == "abbreviation") + ["word_order"] * order + applied
        pattern = "+".join(["term", *(self.kinds[name] for name in words.names)])
        return text, term.text, "~".join([pattern, *applied])

    def clean(
        self, meaning: Meaning, lang: str, rng: np.random.Generator, other_than: str | None = None
    ) -> str | None:
        """Return a text without noise or abbreviations, not from ``other_than``; None if there is none."""
        terms = [
            term
            for term in self.composer.terms(meaning, lang)
            if term.kind != "abbreviation" and term.text != other_than
        ]
        return plain(self.composer.words(meaning, lang, pick(terms, rng), rng)) if terms else None

    def _title(self, code: str) -> str:
        return self.hierarchy.titles[code]
