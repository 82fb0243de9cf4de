"""Subsets of the test mentions: what a system could have learned by heart, and what it could not.

Aggregates alone show no generalisation, because most mentions of a corpus repeat strings of its train part
(coding.md section 0, finding 2).
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from clinbench.coding.codes import level_or_own
from clinbench.coding.text import fold

Golds = Sequence[tuple[str, ...]]


def subsets(
    test: pl.DataFrame, training: pl.DataFrame, golds: Golds, train_golds: Golds, edition: str
) -> dict[str, np.ndarray]:
    """Tell which mentions belong to each subset.

    Args:
        test: (Q) queries frame.
        training: queries frame of all mentions a system may have learned from (train and val).
        golds: (Q,) the accepted codes of each test mention, the one that stands for it first.
        train_golds: likewise of ``training``.
        edition: whose chapters, ``cm`` or ``who``.

    Returns:
        Name to (Q,) bool: ``all``; ``seen_string`` and ``unseen_string`` (folded); ``seen_code`` and
        ``unseen_code``; ``seen_document`` and ``unseen_document``; ``continuous`` and ``discontinuous``
        (where known); ``unique``, the first of each (folded mention, code); ``chapter:1`` and on; ``lang:es``
        and so on where there are several languages.
    """
    strings = [fold(query) for query in test["query"]]
    known = {fold(query) for query in training["query"]}
    codes = {code for accepted in train_golds for code in accepted}
    docs = set(training["doc"])
    seen = {
        "string": np.array([string in known for string in strings], dtype=bool),
        "code": np.array([not codes.isdisjoint(accepted) for accepted in golds], dtype=bool),
        "document": np.array([doc in docs for doc in test["doc"]], dtype=bool),
    }
    found = {"all": np.ones(test.height, dtype=bool)}
    for what, mask in seen.items():
        found |= {f"seen_{what}": mask, f"unseen_{what}": ~mask}
    pieces = test["pieces"].to_numpy()
    found |= {"continuous": pieces == "1", "discontinuous": ~np.isin(pieces, ["1", ""])}
    found["unique"] = _first(list(zip(strings, (accepted[0] for accepted in golds), strict=True)))
    chapters = np.array([level_or_own(accepted[0], "chapter", edition) for accepted in golds])
    numbers = sorted((name for name in set(chapters.tolist()) if name.isdigit()), key=int)
    found |= {f"chapter:{name}": chapters == name for name in numbers}
    langs = test["lang"].to_numpy()
    several = sorted(set(langs.tolist()) - {""})
    return found | ({f"lang:{name}": langs == name for name in several} if len(several) > 1 else {})


def _first(keys: list[tuple[str, str]]) -> np.ndarray:
    """Mark the first occurrence of each key."""
    seen: set[tuple[str, str]] = set()
    marks = []
    for key in keys:
        marks.append(key not in seen)
        seen.add(key)
    return np.array(marks, dtype=bool)
