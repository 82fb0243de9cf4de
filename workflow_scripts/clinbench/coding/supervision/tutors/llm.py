"""Tutor ``llm``: examples written by a language model behind an OpenAI-compatible chat endpoint.

Labels come first, as in the paper: codes are drawn from the hierarchy, and the model only words them.
It is sent codes and official titles, never a mention from a data set.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from clinbench.coding.lexicon.hierarchy import Hierarchy
from clinbench.coding.lexicon.meanings import Meaning
from clinbench.coding.lexicon.negatives import Negatives
from clinbench.coding.supervision.answers import (
    READABLE,
    REASONS,
    Topic,
    answer_schema,
    as_example,
    matched,
)
from clinbench.coding.supervision.chat import Chat
from clinbench.coding.supervision.languages import LanguageGuess
from clinbench.coding.supervision.report import summary
from clinbench.coding.supervision.turns import Turns
from clinbench.coding.supervision.validators import Validators
from clinbench.errors import UserError, refuse
from clinbench.progress import progress
from clinbench.runtime import cell_seed

PROMPT = "clinical-mention/2"
LANGUAGES = {
    "en": "English",
    "es": "Spanish (Spain)",
    "ca": "Catalan",
    "it": "Italian",
    "pt": "Portuguese (Portugal)",
    "fr": "French",
}
SYSTEM = (
    "You write training data for a system that assigns ICD-10-CM codes to short mentions in clinical notes. "
    "Write only in {language}, as clinicians of that language do. For every code of the list give: 'query', a short "
    "mention of exactly this condition as it stands in a clinical note (abbreviations and word order of "
    "real notes are welcome); 'positive', another wording of the same condition; 'negatives', for each condition "
    "listed as a negative its 'code' and, as 'text', one wording. Keep every detail that tells the codes apart: "
    "side, site, severity, course, cause, encounter. Never write a code in a text. Answer in JSON."
)
CHARACTERS_PER_TOKEN = 4  # of prompts in these languages, for estimates
TOKENS_PER_EXAMPLE = 180  # of an answer, for estimates
SPARE = 1.5  # requests per example wanted, at most, in units of a request without refusals
ENOUGH = 0.5  # share of a language's examples below which its answers are too bad to train on
FIRST = 10  # requests of a language that may yield nothing before it is given up


def require_open(sources: Mapping[str, str]) -> None:
    """Refuse to work beside credentialed data.

    Args:
        sources: name of each input to its access, ``open`` or ``credentialed``.

    Raises:
        UserError: any of them is credentialed.
    """
    refuse(
        (
            f"{name} is credentialed: nothing made from it may leave the site"
            for name, access in sources.items()
            if access != "open"
        ),
        "The llm tutor sends text to an endpoint. Take coding.supervision.tutor: lexicon, or leave these out:",
    )


class LlmTutor:
    """Makes examples of data set A with a chat endpoint.

    Args:
        hierarchy: official titles and blocks.
        languages: tells languages apart, for the validators.
        hard, soft: how many negatives an example has.
        batch: codes in one request.
    """

    def __init__(
        self, hierarchy: Hierarchy, languages: LanguageGuess, hard: int = 3, soft: int = 1, batch: int = 8
    ):
        self.hierarchy, self.languages, self.hard, self.soft, self.batch = (
            hierarchy,
            languages,
            hard,
            soft,
            batch,
        )
        self._kinds = dict.fromkeys(hierarchy.titles, "sibling")

    def make(
        self,
        chat: Chat,
        count: int,
        langs: Sequence[str],
        seed: int = 0,
        evaluation: Mapping[str, set[str]] | None = None,
        strict: bool = False,
        without: Sequence[str] = (),
    ) -> tuple[list[dict], dict]:
        """Return up to ``count`` examples, spread evenly over the languages, and a report.

        Fewer come back where answers are refused; the report says why.

        Raises:
            UserError: far fewer come back (see ``ENOUGH``), or the endpoint gives no answers.
        """
        evaluation = evaluation or {}
        leaks = set().union(*evaluation.values()) if strict else set()
        validators = Validators(self.hierarchy.titles, self.languages, leaks)
        counts = Counter(dict.fromkeys(("unanswered", *REASONS), 0))
        examples: list[dict] = []
        for lang, requests in self._requests(count, langs, seed, without):
            wanted = _wanted(count, langs, lang)
            made = self._language(chat, lang, requests, wanted, validators, counts, seed)
            if len(made) < ENOUGH * wanted:
                raise _too_few(lang, len(made), wanted, counts + validators.refused)
            examples += made
        report = summary(examples, langs, validators, evaluation)
        return examples, report | {
            "refused": report["refused"] | {reason: counts[reason] for reason in REASONS},
            "generator": f"llm: {PROMPT}",
            "asked_for": count,
            "unanswered": counts["unanswered"],
            "usage": chat.usage,
        }

    def _language(
        self,
        chat: Chat,
        lang: str,
        requests: Iterator[list[Topic]],
        wanted: int,
        validators: Validators,
        counts: Counter,
        seed: int,
    ) -> list[dict]:
        """Make one language's examples; the requests are drawn to their end, as the next language's follow."""
        meta = {"generator": "llm", "prompt_id": PROMPT, "seed": seed}
        made: list[dict] = []
        for number, topics in enumerate(requests):
            if len(made) >= wanted or (number >= FIRST and not made):
                continue
            answer = chat.ask(self.messages(lang, topics), answer_schema(topics), seed, READABLE)
            if answer is None:
                counts["unanswered"] += 1
                continue
            for topic, worded in matched(topics, answer["examples"], counts):
                example = as_example(topic, worded, lang, len(made), dict(meta))
                if len(made) < wanted and validators.accept(example):
                    made.append(example)
        return made

    def prompts(
        self, count: int, langs: Sequence[str], seed: int = 0, without: Sequence[str] = ()
    ) -> list[list[dict[str, str]]]:
        """Return the messages of the requests that ``count`` examples need if none is refused."""
        requests = self._requests(count, langs, seed, without, spare=1.0)
        return [self.messages(lang, topics) for lang, some in requests for topics in some]

    def messages(self, lang: str, topics: Sequence[Topic]) -> list[dict[str, str]]:
        """Return the chat messages of one request."""
        lines = []
        for number, topic in enumerate(topics, 1):
            lines.append(f"{number}. code {topic.code}: {self.hierarchy.titles[topic.code]}")
            lines += [f"   negative {code}: {self.hierarchy.titles[code]}" for code in topic.negatives]
        return [
            {"role": "system", "content": SYSTEM.format(language=LANGUAGES[lang])},
            {"role": "user", "content": "\n".join(lines)},
        ]

    def _requests(
        self, count: int, langs: Sequence[str], seed: int, without: Sequence[str], spare: float = SPARE
    ) -> Iterator[tuple[str, Iterator[list[Topic]]]]:
        """Yield each language with the topics of its requests, the same for the same arguments."""
        codes = [code for code in self.hierarchy.titles if code[:3] not in without]
        meanings = {
            code: Meaning(code, code[:-1].rstrip(".") if len(code) > 3 else code, frozenset({code}))
            for code in codes
        }
        negatives = Negatives(meanings, self._kinds, self.hierarchy.blocks)
        turns = Turns(codes, count, seed)
        for lang in langs:
            need = -(-_wanted(count, langs, lang) // self.batch)
            yield lang, self._topics(lang, int(np.ceil(need * spare)), turns, negatives, seed)

    def _topics(
        self, lang: str, requests: int, turns: Turns, negatives: Negatives, seed: int
    ) -> Iterator[list[Topic]]:
        """Yield the topics of each request of a language."""
        rng = np.random.default_rng(cell_seed("llm", lang, seed))
        taking = turns.codes()
        for _ in progress(range(requests), f"asking in {lang}"):
            batch = list(islice(taking, self.batch))
            if not batch:
                break
            yield [
                Topic(
                    code,
                    tuple(other for other, _ in negatives.hard(code, self.hard, rng)),
                    tuple(negatives.soft(code, self.soft, rng)),
                )
                for code in batch
            ]
            for code in batch:
                turns.used(code)


def estimate(prompts: list[list[dict[str, str]]], count: int, prices: Mapping[str, float | None]) -> dict:
    """Estimate what a run costs before it is paid.

    Args:
        prompts: the messages of its requests.
        count: examples wanted.
        prices: ``input`` and ``output``, money per million tokens, None where unknown.

    Returns:
        ``requests``, ``prompt_tokens``, ``completion_tokens`` and ``cost`` (None without prices); tokens are guesses
        from lengths.
    """
    characters = sum(len(message["content"]) for messages in prompts for message in messages)
    sent, received = characters // CHARACTERS_PER_TOKEN, count * TOKENS_PER_EXAMPLE
    return {
        "requests": len(prompts),
        "prompt_tokens": sent,
        "completion_tokens": received,
        "cost": cost(sent, received, prices),
    }


def cost(sent: int, received: int, prices: Mapping[str, float | None]) -> float | None:
    """Return the price of tokens, or None where a price is unknown."""
    if prices.get("input") is None or prices.get("output") is None:
        return None
    return (sent * prices["input"] + received * prices["output"]) / 1e6


def _too_few(lang: str, made: int, wanted: int, counts: Counter) -> UserError:
    reasons = ", ".join(f"{reason} {number}" for reason, number in counts.most_common())
    return UserError(
        f"The endpoint's answers give {made} of the {wanted} examples asked for in '{lang}', too few to train on "
        f"(so far: {reasons or 'nothing was refused'}). Answers are kept. Look at them, then ask another "
        "coding.supervision.llm.model, lower coding.supervision.llm.batch, or take coding.supervision.tutor: lexicon."
    )


def _wanted(count: int, langs: Sequence[str], lang: str) -> int:
    """Return how many of ``count`` examples fall to a language."""
    if lang not in langs:
        raise UserError(f"No language '{lang}' among {', '.join(langs)}.")
    return count // len(langs) + (langs.index(lang) < count % len(langs))
