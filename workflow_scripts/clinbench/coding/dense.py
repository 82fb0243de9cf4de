"""Exact dense retrieval: cosine of every query with every text, in blocks that fit in memory."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from clinbench.coding.load import encode
from clinbench.coding.mentions import SOURCE
from clinbench.coding.runs import Rankings, sort_ranking
from clinbench.coding.voting import AllTexts
from clinbench.errors import UserError
from clinbench.progress import progress

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BLOCK = 16_000_000  # scores held at a time: 64 MB
STALE = 0.02  # embeddings of one model differ by 1e-5 between devices, of two models by 0.1 and more


def retrieve(
    model: "SentenceTransformer",
    queries: list[str],
    table: pl.DataFrame,
    embeddings: np.ndarray | None,
    depth: int,
    batch: int = 64,
    votes: AllTexts | None = None,
) -> Rankings:
    """Rank the table's codes for each query under one encoder.

    Args:
        model: the encoder, from ``load_encoder``.
        queries: q mentions.
        table: codes table, n rows.
        embeddings: (m, d) of the table's m texts under ``model``, mentions at its end apart, which are
            encoded here; or None to encode all here.
        depth: codes per query at most.
        batch: texts per forward pass.
        votes: how the table's texts vote; None lets each code's best text count.

    Raises:
        UserError: the embeddings are those of another table or another model.
    """
    texts = table["text"].to_list()
    if embeddings is None:
        embeddings = encode(model, texts, batch)
    else:
        own = table.filter(pl.col("source") != SOURCE).height
        _check_embeddings(model, texts[:own], embeddings)
        more = encode(model, texts[own:], batch)
        embeddings = np.concatenate([embeddings, more]) if len(more) else embeddings
    return search_dense(encode(model, queries, batch), embeddings, table["code"].to_list(), depth, votes)


def search_dense(
    query_emb: np.ndarray,
    text_emb: np.ndarray,
    codes: Sequence[str],
    depth: int,
    votes: AllTexts | None = None,
) -> Rankings:
    """Rank codes for each query by the best inner product over the code's texts, or by their votes, exactly.

    Args:
        query_emb: (q, d) float32, rows of length 1.
        text_emb: (n, d) float32, rows of length 1.
        codes: (n,) the code of each text, repeated where a code has several texts.
        depth: how many codes to return per query at most.
        votes: how the texts vote; None takes each code's best.

    Returns:
        q rankings, sorted by ``(-score, code)`` (coding.md section 3.4). Equal embeddings get equal
        scores, so codes with the same text tie exactly and stand in the order of their codes.

    Raises:
        UserError: the two sides have different dimensions or lengths.
    """
    if len(text_emb) != len(codes):
        raise UserError(f"{len(text_emb)} embeddings for {len(codes)} texts; encode this table again.")
    if query_emb.shape[1] != text_emb.shape[1]:
        raise UserError(
            f"Queries have {query_emb.shape[1]} dimensions but the table's embeddings {text_emb.shape[1]}: "
            "they come from different encoders. Encode the table with the encoder of the queries."
        )
    queries, query_at = _distinct(query_emb)
    texts, text_at = _distinct(text_emb)
    size = max(1, BLOCK // max(1, len(texts)))
    found: Rankings = []
    for start in progress(range(0, len(queries), size), f"search {len(queries)} queries, blocks of {size}"):
        block = queries[start : start + size] @ texts.T  # (block, distinct texts)
        for row in block:
            cosines = row[text_at]
            found.append(votes.rank(cosines, depth) if votes else sort_ranking(codes, cosines, depth))
    return [list(found[at]) for at in query_at]


def _distinct(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows in order of first occurrence, and where each row is among them.

    A matrix product may round equal rows differently by their place in it; each is computed once.
    """
    place: dict[bytes, int] = {}
    at = np.array([place.setdefault(row.tobytes(), len(place)) for row in rows], dtype=np.int64)
    return rows[np.unique(at, return_index=True)[1]], at


def _check_embeddings(model: "SentenceTransformer", texts: list[str], embeddings: np.ndarray) -> None:
    """Encode a few texts again and refuse embeddings that are not theirs."""
    rows = np.unique(np.linspace(0, len(texts) - 1, 8).astype(int)) if texts else np.empty(0, dtype=int)
    fresh = encode(model, [texts[row] for row in rows])
    if embeddings.shape != (len(texts), fresh.shape[1]):
        raise UserError(
            f"The table's embeddings have shape {embeddings.shape}; {len(texts)} texts of {fresh.shape[1]} "
            "dimensions are expected. Encode this table with this encoder."
        )
    if np.abs(fresh - embeddings[rows]).max(initial=0.0) > STALE:
        raise UserError(
            "The table's embeddings are not those of this encoder and table. Encode the table again."
        )
