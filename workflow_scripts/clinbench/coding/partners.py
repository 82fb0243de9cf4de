"""Training pairs of texts that mean one code: mentions, titles in several languages, synonyms.

``text_pairs`` aligns the texts of a table with each other, ``partner_pairs`` mentions with any text of their code:
in the words of other annotated mentions, in their own language, or in another.
"""

from collections import defaultdict

import numpy as np
import polars as pl

from clinbench.coding.pairs import Pairs, enough, identities
from clinbench.coding.text import fold

MENTIONS = 0.4  # share of the partners that are other mentions of the code, where there are any
FOREIGN = 0.3  # share of the other partners drawn from texts of all languages alike


def text_pairs(table: pl.DataFrame, seed: int) -> Pairs:
    """Pair each code's first text with each of its others, the two in random order.

    Args:
        table: codes table.
        seed: of the order.

    Returns:
        Pairs without negatives; equal texts (folded) make none.

    Raises:
        UserError: fewer than two codes have several texts.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for code, texts in _texts(table).items():
        first = texts[0][0]
        for other in dict.fromkeys(text for text, _ in texts[1:] if fold(text) != fold(first)):
            rows.append((first, other, code) if rng.random() < 0.5 else (other, first, code))
    return _pairs(rows, {"not_in_table": 0}, f"The {table.height} texts of the codes table")


def partner_pairs(train: pl.DataFrame, table: pl.DataFrame, partners: int, seed: int) -> Pairs:
    """Pair each distinct (mention, code) ``partners`` times with a text of its code, drawn each time.

    Args:
        train: queries frame.
        table: codes table.
        partners: pairs of each mention, at least 1.
        seed: of the draws.

    Raises:
        UserError: fewer than two codes are left.
    """
    rng = np.random.default_rng(seed)
    texts = _texts(table)
    distinct = {(fold(query), code): (query, lang) for query, code, lang in _rows(train)}
    said: dict[str, list[str]] = defaultdict(list)
    for (_, code), (query, _) in distinct.items():
        said[code].append(query)
    rows = [
        (query, _partner(query, lang, texts[code], said[code], rng), code)
        for _ in range(partners)
        for (_, code), (query, lang) in distinct.items()
        if code in texts
    ]
    left_out = train.height - train["code"].is_in(list(texts)).sum()
    return _pairs(rows, {"not_in_table": int(left_out)}, f"The {train.height} training mentions")


def _partner(
    query: str, lang: str, texts: list[tuple[str, str]], said: list[str], rng: np.random.Generator
) -> str:
    others = [text for text in said if fold(text) != fold(query)]
    if others and rng.random() < MENTIONS:
        return others[rng.integers(len(others))]
    own = [text for text, spoken in texts if spoken == lang]
    choices = own if own and rng.random() >= FOREIGN else [text for text, _ in texts]
    return choices[rng.integers(len(choices))]


def _rows(train: pl.DataFrame) -> list[tuple[str, str, str]]:
    return train.select("query", "code", "lang").rows()


def _texts(table: pl.DataFrame) -> dict[str, list[tuple[str, str]]]:
    """Return each code's texts with their languages, in the table's order."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for code, text, lang in table.select("code", "text", "lang").iter_rows():
        found[code].append((text, lang))
    return dict(found)


def _pairs(rows: list[tuple[str, str, str]], counts: dict[str, int], origin: str) -> Pairs:
    anchors, positives, codes = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    counts |= {"without_negative": 0, "pairs": len(rows), "codes": len(set(codes))}
    enough(counts, origin)
    texts = {"anchor": anchors, "positive": positives}
    return Pairs(texts, identities(texts, {"code": codes}), counts)
