"""Tutor ``llm``: examples written by a language model behind an OpenAI-compatible chat endpoint.

Labels come first, as in the paper: codes are drawn from the hierarchy, and the model only words them.
It is sent codes and official titles, never a mention from a data set.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from clinbench.coding.lexicon.hierarchy import Hierarchy
from clinbench.coding.lexicon.meanings import Meaning
from clinbench.coding.lexicon.negatives import Negatives
from clinbench.coding.supervision.chat import Chat
from clinbench.coding.supervision.languages import LanguageGuess
from clinbench.coding.supervision.report import summary
from clinbench.coding.supervision.turns import Turns
from clinbench.coding.supervision.validators import Validators
from clinbench.errors import UserError, refuse
from clinbench.progress import progress
from clinbench.runtime import cell_seed

PROMPT = "clinical-mention/1"
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
    "real notes are welcome); 'positive', another wording of the same condition; 'negatives', one wording for each "
    "condition listed as a negative, in their order. Keep every detail that tells the codes apart: side, site, "
    "severity, course, cause, encounter. Never write a code. Answer in JSON."
)
CHARACTERS_PER_TOKEN = 4  # of prompts in these languages, for estimates
TOKENS_PER_EXAMPLE = 130  # of an answer, for estimates
SPARE = 1.5  # requests per example wanted, at most, in units of a request without refusals


class Topic(NamedTuple):
    """A code to be worded, with the codes of its negatives."""

    code: str
    hard: tuple[str, ...]
    soft: tuple[str, ...]


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

        Fewer come back where too many answers are refused; the report says why.
        """
        evaluation = evaluation or {}
        leaks = set().union(*evaluation.values()) if strict else set()
        validators = Validators(self.hierarchy.titles, self.languages, leaks)
        examples: list[dict] = []
        unanswered = 0
        for lang, topics in self._requests(count, langs, seed, without):
            wanted = _wanted(count, langs, lang)
            have = sum(example["lang"] == lang for example in examples)
            if have >= wanted:
                continue
            answer = chat.ask(self.messages(lang, topics), answer_schema(topics), seed)
            unanswered += answer is None
            for topic, worded in zip(topics, answer["examples"] if answer else (), strict=False):
                example = _example(topic, worded, lang, have, seed)
                if have < wanted and worded["code"] == topic.code and validators.accept(example):
                    examples.append(example)
                    have += 1
        report = summary(examples, langs, validators, evaluation)
        return examples, report | {
            "generator": f"llm: {PROMPT}",
            "asked_for": count,
            "unanswered": unanswered,
            "usage": chat.usage,
        }

    def prompts(
        self, count: int, langs: Sequence[str], seed: int = 0, without: Sequence[str] = ()
    ) -> list[list[dict[str, str]]]:
        """Return the messages of the requests that ``count`` examples need if none is refused."""
        requests = self._requests(count, langs, seed, without, spare=1.0)
        return [self.messages(lang, topics) for lang, topics in requests]

    def messages(self, lang: str, topics: Sequence[Topic]) -> list[dict[str, str]]:
        """Return the chat messages of one request."""
        lines = []
        for number, topic in enumerate(topics, 1):
            lines.append(f"{number}. code {topic.code}: {self.hierarchy.titles[topic.code]}")
            lines += [f"   negative: {self.hierarchy.titles[code]}" for code in (*topic.hard, *topic.soft)]
        return [
            {"role": "system", "content": SYSTEM.format(language=LANGUAGES[lang])},
            {"role": "user", "content": "\n".join(lines)},
        ]

    def _requests(
        self, count: int, langs: Sequence[str], seed: int, without: Sequence[str], spare: float = SPARE
    ) -> Iterator[tuple[str, list[Topic]]]:
        """Yield language and topics of each request, the same for the same arguments."""
        codes = [code for code in self.hierarchy.titles if code[:3] not in without]
        meanings = {
            code: Meaning(code, code[:-1].rstrip(".") if len(code) > 3 else code, frozenset({code}))
            for code in codes
        }
        negatives = Negatives(meanings, self._kinds, self.hierarchy.blocks)
        turns = Turns(codes, count, seed)
        for lang in langs:
            rng = np.random.default_rng(cell_seed("llm", lang, seed))
            need = -(-_wanted(count, langs, lang) // self.batch)
            taking = turns.codes()
            for _ in progress(range(int(np.ceil(need * spare))), f"asking in {lang}"):
                batch = list(islice(taking, self.batch))
                if not batch:
                    break
                topics = [
                    Topic(
                        code,
                        tuple(other for other, _ in negatives.hard(code, self.hard, rng)),
                        tuple(negatives.soft(code, self.soft, rng)),
                    )
                    for code in batch
                ]
                yield lang, topics
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


def answer_schema(topics: Sequence[Topic]) -> dict:
    """Return the JSON schema of the answer about these topics."""
    negatives = [len(topic.hard) + len(topic.soft) for topic in topics]
    text = {"type": "string", "minLength": 1, "maxLength": 200}
    item = {
        "type": "object",
        "additionalProperties": False,
        "required": ["code", "query", "positive", "negatives"],
        "properties": {
            "code": {"enum": [topic.code for topic in topics]},
            "query": text,
            "positive": text,
            "negatives": {
                "type": "array",
                "items": text,
                "minItems": min(negatives),
                "maxItems": max(negatives),
            },
        },
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["examples"],
        "properties": {
            "examples": {"type": "array", "items": item, "minItems": len(topics), "maxItems": len(topics)}
        },
    }


def _example(topic: Topic, worded: dict, lang: str, number: int, seed: int) -> dict:
    named = [
        {"code": code, "text": " ".join(text.split())}
        for code, text in zip((*topic.hard, *topic.soft), worded["negatives"], strict=False)
    ]
    return {
        "id": f"A-{lang}-{number:05d}",
        "lang": lang,
        "code": topic.code,
        "query": " ".join(worded["query"].split()),
        "positive": " ".join(worded["positive"].split()),
        "positive_kind": "synonym",
        "hard_negatives": named[: len(topic.hard)],
        "soft_negatives": named[len(topic.hard) :],
        "meta": {"generator": "llm", "prompt_id": PROMPT, "seed": seed},
    }


def _wanted(count: int, langs: Sequence[str], lang: str) -> int:
    """Return how many of ``count`` examples fall to a language."""
    if lang not in langs:
        raise UserError(f"No language '{lang}' among {', '.join(langs)}.")
    return count // len(langs) + (langs.index(lang) < count % len(langs))
