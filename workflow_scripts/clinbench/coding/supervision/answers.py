"""What is asked of a language model for data set A, and which of its wordings belong to what was asked."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TEXT = {"type": "string", "minLength": 1, "maxLength": 200}
REASONS = {
    "wrong_code": "a wording of a code that was not asked for, or was worded before",
    "wrong_negatives": "other negatives than those asked for, or another number of them",
    "left_out": "a code that the answer does not word",
}


class Topic(NamedTuple):
    """A code to be worded, with the codes of its negatives."""

    code: str
    hard: tuple[str, ...]
    soft: tuple[str, ...]

    @property
    def negatives(self) -> tuple[str, ...]:
        """Hard ones, then soft ones."""
        return self.hard + self.soft


def answer_schema(topics: Sequence[Topic]) -> dict:
    """Return the JSON schema of the answer about these topics: one example for each, in any order."""
    some = {"type": "array", "minItems": len(topics), "maxItems": len(topics)}
    return _object(examples=some | {"items": {"anyOf": [_item(topic) for topic in topics]}})


def _item(topic: Topic) -> dict:
    count = len(topic.negatives)
    named = _object(code=_one_of(topic.negatives), text=_TEXT)
    return _object(
        code=_one_of((topic.code,)),
        query=_TEXT,
        positive=_TEXT,
        negatives={"type": "array", "items": named, "minItems": count, "maxItems": count},
    )


def _one_of(codes: Sequence[str]) -> dict:
    return {"type": "string"} | ({"enum": list(codes)} if codes else {})


def _object(closed: bool = True, **properties: dict) -> dict:
    """Return the schema of an object that has these properties and, if closed, no others."""
    shape = {"type": "object", "required": list(properties), "properties": properties}
    return shape | ({"additionalProperties": False} if closed else {})


_ANY = {"type": "string"}
_NAMED = _object(False, code=_ANY, text=_ANY)
_WORDED = _object(False, code=_ANY, query=_ANY, positive=_ANY, negatives={"type": "array", "items": _NAMED})
# An answer of this shape is paid for and read; each of its examples is then judged alone.
READABLE = _object(False, examples={"type": "array", "minItems": 1, "items": _WORDED})


def matched(
    topics: Sequence[Topic], worded: Sequence[dict], refused: Counter
) -> Iterator[tuple[Topic, dict]]:
    """Yield the topics that an answer words, each with its wording, by the codes that the answer names.

    Args:
        topics: what was asked for.
        worded: the answer's ``examples``, in any order, of the shape of ``READABLE``.
        refused: counts by ``REASONS``, raised for what does not belong to what was asked.
    """
    waiting = list(topics)
    for item in worded:
        topic = next((topic for topic in waiting if topic.code == item["code"]), None)
        if topic is None:
            refused["wrong_code"] += 1
            continue
        waiting.remove(topic)
        if sorted(negative["code"] for negative in item["negatives"]) != sorted(topic.negatives):
            refused["wrong_negatives"] += 1
            continue
        yield topic, item
    refused["left_out"] += len(waiting)


def as_example(topic: Topic, worded: dict, lang: str, number: int, meta: dict) -> dict:
    """Return the record (coding.md 1.1) of a matched wording, its texts without line ends and double blanks."""
    said = {negative["code"]: _plain(negative["text"]) for negative in worded["negatives"]}
    return {
        "id": f"A-{lang}-{number:05d}",
        "lang": lang,
        "code": topic.code,
        "query": _plain(worded["query"]),
        "positive": _plain(worded["positive"]),
        "positive_kind": "synonym",
        "hard_negatives": [{"code": code, "text": said[code]} for code in topic.hard],
        "soft_negatives": [{"code": code, "text": said[code]} for code in topic.soft],
        "meta": meta,
    }


def _plain(text: str) -> str:
    return " ".join(text.split())
