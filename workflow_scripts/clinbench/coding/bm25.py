"""Okapi BM25 over the texts of a codes table, fast enough for every mention of a corpus.

Scores are those of ``rank_bm25.BM25Okapi`` 0.2.2, floor of negative idf included:

    score(q, d) = sum over tokens t of q of idf(t) f(t,d) (k1 + 1) / (f(t,d) + k1 (1 - b + b |d| / avgdl))
    idf(t) = log(N - n(t) + 1/2) - log(n(t) + 1/2), and epsilon * mean idf where that is negative

A token said twice in a query counts twice. Texts with a score of 0 or below are no answers.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from clinbench.coding.runs import Ranking, Rankings, sort_ranking, top_indices
from clinbench.coding.text import tokens
from clinbench.errors import UserError
from clinbench.progress import progress


class Index(NamedTuple):
    """What is kept of a corpus of N texts with V distinct tokens.

    Attributes:
        weights: (V, N) float64 CSR; entry (t, d) is token t's whole contribution to text d.
        vocabulary: token to row of ``weights``.
    """

    weights: sparse.csr_array
    vocabulary: dict[str, int]


def build_index(texts: Sequence[str], k1: float = 1.5, b: float = 0.75, epsilon: float = 0.25) -> Index:
    """Index texts, tokenised by ``text.tokens``; a text without a token scores 0 for every query.

    Args:
        texts: (N,) texts.
        k1: saturation of a token's frequency, >= 0.
        b: strength of the length correction, 0 to 1.
        epsilon: floor of negative idf, as a share of the mean idf.

    Raises:
        UserError: no text holds a token.
    """
    vocabulary: dict[str, int] = {}
    counts = _count(texts, vocabulary)
    if not vocabulary:
        raise UserError(f"BM25: none of the {len(texts)} text(s) of the codes table holds a word.")
    lengths = counts.sum(axis=1)
    found_in = np.bincount(counts.indices, minlength=len(vocabulary))
    idf = np.log(len(texts) - found_in + 0.5) - np.log(found_in + 0.5)
    idf[idf < 0] = epsilon * idf.mean()
    weights = counts.tocoo()
    frequency, (row, column) = weights.data, weights.coords
    damped = frequency + k1 * (1 - b + b * lengths / lengths.mean())[row]
    weights.data = idf[column] * (frequency * (k1 + 1) / damped)
    return Index(weights.T.tocsr(), vocabulary)


def score(index: Index, query: str) -> np.ndarray:
    """Score every text for one query: (N,) float64, 0 where no token is shared."""
    return _sum(_postings(index, query), index.weights.shape[1])


def rank(index: Index, codes: Sequence[str], queries: Sequence[str], depth: int) -> Rankings:
    """Rank codes for queries; a code's score is the highest of its texts.

    Equal queries are scored once. A query sharing no token with any text has an empty ranking.

    Args:
        index: of the table's texts.
        codes: (N,) code of each text; repeated where a code has several.
        queries: (Q,) mentions.
        depth: how many codes to keep at most, >= 1.

    Returns:
        (Q,) rankings sorted by ``(-score, code)``, scores above 0 only.
    """
    labels = np.asarray(codes, dtype=object)
    # Whatever a code's number of texts, its best one is among this many best texts.
    wanted = depth * int(np.unique(labels.astype(str), return_counts=True)[1].max())
    found: dict[str, Ranking] = {}
    for query in progress(dict.fromkeys(queries), "BM25 queries"):
        texts, scores = _best_texts(index, query, wanted)
        found[query] = sort_ranking(labels[texts], scores, depth)
    return [list(found[query]) for query in queries]


def _best_texts(index: Index, query: str, wanted: int) -> tuple[np.ndarray, np.ndarray]:
    """Return indices and scores of the ``wanted`` best texts (more with ties), all above 0."""
    postings = _postings(index, query)
    scores = _sum(postings, index.weights.shape[1])
    # The rarest token weighs most: what its texts reach rules out nearly all others without sorting.
    sample = scores[min((texts for texts, _ in postings), key=len, default=slice(0))]
    floor = np.partition(sample, len(sample) - wanted)[len(sample) - wanted] if len(sample) > wanted else 0.0
    kept = np.flatnonzero(scores >= floor if floor > 0 else scores > 0)
    kept = kept[top_indices(scores[kept], wanted)]
    return kept, scores[kept]


def _sum(postings: list[tuple[np.ndarray, np.ndarray]], texts: int) -> np.ndarray:
    total = np.zeros(texts)
    for places, weights in postings:
        total[places] += weights
    return total


def _postings(index: Index, query: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, for each known token of a query, the texts that hold it and its weight in each."""
    rows = (index.vocabulary.get(token) for token in tokens(query))
    starts = index.weights.indptr
    slices = (slice(starts[row], starts[row + 1]) for row in rows if row is not None)
    return [(index.weights.indices[part], index.weights.data[part]) for part in slices]


def _count(texts: Sequence[str], vocabulary: dict[str, int]) -> sparse.csr_array:
    """Count tokens, filling ``vocabulary``: (texts, V) float64 CSR."""
    columns: list[int] = []
    starts = [0]
    for text in texts:
        columns += (vocabulary.setdefault(token, len(vocabulary)) for token in tokens(text))
        starts.append(len(columns))
    shape = (len(texts), len(vocabulary))
    counts = sparse.csr_array((np.ones(len(columns)), np.array(columns, dtype=np.int32), starts), shape=shape)
    counts.sum_duplicates()
    return counts
