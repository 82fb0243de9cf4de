"""Dictionary, then BM25 over the distinct train mentions, then the most frequent codes: always an answer."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import polars as pl

from clinbench.coding.bm25 import build_index, rank
from clinbench.coding.context import Context
from clinbench.coding.mentions import annotations, shares
from clinbench.coding.runs import Ranking, Rankings
from clinbench.coding.systems.bm25 import OPTIONS as BM25
from clinbench.coding.text import fold, tokens
from clinbench.defaults import with_defaults

TITLE = "Dictionary + BM25"
TRAINED = False
NEEDS = ("mentions",)
OPTIONS = {
    "neighbours": {
        "type": "integer",
        "minimum": 1,
        "default": 50,
        "description": "Train mentions nearest to a query whose codes are its answers.",
    },
    "k1": {
        "type": "number",
        "minimum": 0,
        "default": 1.5,
        "description": "Saturation of a token's frequency (no unit).",
    },
    "b": {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "default": 0.75,
        "description": "Strength of the correction for the length of a mention (0 none to 1 full).",
    },
    "epsilon": {
        "type": "number",
        "minimum": 0,
        "default": 0.25,
        "description": "Weight of words in over half of the mentions, as a share of the mean idf.",
    },
}
Key = tuple[float, ...]


def search(queries: list[str], table: pl.DataFrame, options: dict, context: Context, depth: int) -> Rankings:
    """Rank the codes of the same string, of its nearest strings, and of the whole train part, in this order.

    Within a string codes stand by their share of its annotations. What ties in everything has equal
    scores: a code's score is 1 / its dense rank.

    Args:
        queries: q mentions.
        table: not looked at.
        options: see ``OPTIONS``.
        context: ``mentions``, the annotated ones.
        depth: codes per query.

    Raises:
        UserError: no annotated mention.
    """
    settings = with_defaults(OPTIONS, options)
    counted = annotations(context.mentions)
    ranked = {string: shares(counts) for string, counts in counted.items()}
    frequent = shares(sum(counted.values(), Counter()))[:depth]
    near = _neighbours(queries, list(ranked), settings)

    def keyed(query: str) -> Iterator[tuple[str, Key]]:
        yield from ((code, (3.0, 0.0, share)) for code, share in ranked.get(fold(query), []))
        yield from (
            (code, (2.0, score, share)) for string, score in near(query) for code, share in ranked[string]
        )
        yield from ((code, (1.0, 0.0, share)) for code, share in frequent)

    found = {query: _dense(keyed(query), depth) for query in dict.fromkeys(queries)}
    return [list(found[query]) for query in queries]


def _neighbours(queries: list[str], strings: list[str], settings: dict) -> Callable[[str], Ranking]:
    """Return a function giving a query's nearest strings with their BM25 scores; none where no string has a word."""
    if not any(map(tokens, strings)):
        return lambda query: []
    index = build_index(strings, **{name: settings[name] for name in BM25})
    distinct = list(dict.fromkeys(queries))
    return dict(
        zip(distinct, rank(index, strings, distinct, settings["neighbours"]), strict=True)
    ).__getitem__


def _dense(keyed: Iterable[tuple[str, Key]], depth: int) -> Ranking:
    """Keep each code's best key and score it by the dense rank of that key."""
    best: dict[str, Key] = {}
    for code, key in keyed:
        best[code] = max(key, best.get(code, key))
    ordered = sorted(best.items(), key=lambda item: (*(-part for part in item[1]), item[0]))[:depth]
    places = {key: place for place, key in enumerate(dict.fromkeys(key for _, key in ordered), 1)}
    return [(code, 1.0 / places[key]) for code, key in ordered]
