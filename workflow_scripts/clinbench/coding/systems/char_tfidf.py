"""Character n-gram TF-IDF: the nearest train mentions and code texts vote for their codes.

Character n-grams bridge inflection, typos and joined words that BM25's tokens do not; nothing is trained
but document frequencies.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy import sparse

from clinbench.coding.context import Context
from clinbench.coding.ngrams import ngram_vectors
from clinbench.coding.runs import Ranking, Rankings, top_indices
from clinbench.coding.text import fold
from clinbench.coding.voting import DIGITS, tally, voters
from clinbench.defaults import with_defaults
from clinbench.errors import UserError
from clinbench.progress import progress

TITLE = "Character TF-IDF"
TRAINED = False
NEEDS = ("mentions",)
OPTIONS = {
    "ngrams": {
        "type": "array",
        "items": {"type": "integer", "minimum": 1, "maximum": 8},
        "minItems": 2,
        "maxItems": 2,
        "default": [2, 5],
        "description": "Shortest and longest n-gram (characters), within words padded by blanks.",
    },
    "neighbours": {
        "type": "integer",
        "minimum": 1,
        "default": 50,
        "description": "Texts nearest to a query that vote.",
    },
    "sharpness": {
        "type": "number",
        "exclusiveMinimum": 0,
        "default": 16.0,
        "description": "Power of the cosine in a vote; high values let the nearest text decide.",
    },
}
BLOCK = 256  # queries whose similarities are held at a time


def search(queries: list[str], table: pl.DataFrame, options: dict, context: Context, depth: int) -> Rankings:
    """Rank codes by the votes of the nearest texts (see ``voting``).

    A query sharing no n-gram with any text has an empty ranking.

    Args:
        queries: q mentions.
        table: codes table, n rows; its texts vote beside the mentions.
        options: see ``OPTIONS``.
        context: ``mentions``, the annotated ones; none is allowed.
        depth: codes per query.

    Raises:
        UserError: shortest above longest n-gram, or no text has an n-gram.
    """
    settings = with_defaults(OPTIONS, options)
    voices = voters(table, context.mentions)
    texts = list(voices)
    distinct = list(dict.fromkeys(fold(query) for query in queries))
    found: dict[str, Ranking] = {}
    for query, (near, cosines) in zip(distinct, _nearest(distinct, texts, settings), strict=True):
        heard = ((voices[texts[at]], cosine) for at, cosine in zip(near, cosines, strict=True))
        found[query] = tally(heard, settings["sharpness"], depth)
    return [list(found[fold(query)]) for query in queries]


def _nearest(queries: list[str], texts: list[str], settings: dict) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield, for each query, places and cosines of its nearest texts, all that tie with the last included."""
    low, high = settings["ngrams"]
    if low > high:
        raise UserError(f"char_tfidf: ngrams: [{low}, {high}]: the shortest is longer than the longest.")
    told = f"char_tfidf: no text has an n-gram of {low} to {high} characters."
    vectorizer, vectors = ngram_vectors(texts, (low, high), told)
    by_gram = sparse.csc_array(vectors).T
    starts = range(0, len(queries), BLOCK)
    for start in progress(starts, f"character TF-IDF, blocks of {BLOCK} queries"):
        block = sparse.csr_array(vectorizer.transform(queries[start : start + BLOCK])) @ by_gram
        for begin, end in zip(block.indptr[:-1], block.indptr[1:], strict=True):
            places, cosines = block.indices[begin:end], block.data[begin:end]
            order = np.argsort(places)
            places, cosines = places[order], np.round(cosines[order], DIGITS)
            kept = top_indices(cosines, settings["neighbours"])
            yield places[kept], cosines[kept]
