"""Training pairs of the bi-encoder: mention, text of its code, and near misses as hard negatives.

They come from a benchmark's train mentions, or from the examples of data set A.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import polars as pl

from clinbench.coding.text import fold
from clinbench.errors import UserError


class Pairs(NamedTuple):
    """Aligned columns of n rows: what the model reads, and what tells rows apart.

    Attributes:
        texts: ``anchor``, ``positive``, ``negative_1``, ...
        identities: codes of the positive and the negatives, and all texts folded (``identities``); no two pairs
            of a batch share any.
        counts: ``pairs``, ``codes``, ``not_in_table`` and ``without_negative`` (mentions left out).
    """

    texts: dict[str, list[str]]
    identities: dict[str, list[str]]
    counts: dict[str, int]


def training_pairs(
    train: pl.DataFrame, table: pl.DataFrame, negatives: int, groups: list[dict] | None
) -> Pairs:
    """Pair each mention with its code's first text, and with the first ``negatives`` of its group.

    Args:
        train: queries frame.
        table: codes table.
        negatives: hard negatives per pair; a mention with fewer is left out, as rows must be alike.
        groups: list-wise groups of ``train`` (``mine_groups``), needed if ``negatives`` is not 0.

    Raises:
        UserError: fewer than two codes are left, so that there is nothing to tell apart.
    """
    known = table.unique("code", keep="first", maintain_order=True).select("code", "text")
    rows = train.join(known, on="code", how="inner", maintain_order="left")
    counts = {"not_in_table": train.height - rows.height, "without_negative": 0}
    texts = {"anchor": rows["query"].to_list(), "positive": rows["text"].to_list()}
    codes = {"code": rows["code"].to_list()}
    if negatives:
        full = [group for group in groups or [] if len(group["negatives"]) >= negatives]
        counts["without_negative"] = rows.height - len(full)
        texts = {
            "anchor": [group["query"] for group in full],
            "positive": [group["positive"]["text"] for group in full],
        }
        codes = {"code": [group["positive"]["code"] for group in full]}
        for at in range(negatives):
            texts[f"negative_{at + 1}"] = [group["negatives"][at]["text"] for group in full]
            codes[f"negative_{at + 1}"] = [group["negatives"][at]["code"] for group in full]
    counts |= {"pairs": len(texts["anchor"]), "codes": len(set(codes["code"]))}
    enough(counts, f"The {train.height} training mentions")
    return Pairs(texts, identities(texts, codes), counts)


def enough(counts: dict[str, int], origin: str) -> None:
    """Refuse pairs of fewer than two codes: there would be nothing to tell apart."""
    if counts["codes"] < 2:
        raise UserError(
            f"{origin} give {counts['pairs']} pairs of {counts['codes']} code(s) of the table; at least two codes "
            "are needed. Does the table's edition fit the mentions?"
        )


def example_pairs(examples: list[dict] | None, negatives: int) -> Pairs:
    """Pair each query of data set A with its positive and its first ``negatives`` hard negatives.

    Args:
        examples: records of coding.md section 1.1.
        negatives: hard negatives per pair; an example with fewer is left out, as rows must be alike.

    Returns:
        As ``training_pairs``; ``not_in_table`` is 0: no table is asked.

    Raises:
        UserError: fewer than two codes are left.
    """
    examples = examples or []
    full = [example for example in examples if len(example["hard_negatives"]) >= negatives]
    texts = {
        name: [example[key] for example in full] for name, key in (("anchor", "query"), ("positive",) * 2)
    }
    codes = {"code": [example["code"] for example in full]}
    for at in range(negatives):
        texts[f"negative_{at + 1}"] = [example["hard_negatives"][at]["text"] for example in full]
        codes[f"negative_{at + 1}"] = [example["hard_negatives"][at]["code"] for example in full]
    counts = {"not_in_table": 0, "without_negative": len(examples) - len(full)}
    counts |= {"pairs": len(full), "codes": len(set(codes["code"]))}
    if counts["codes"] < 2:
        raise UserError(
            f"Data set A has {len(examples)} examples, {len(full)} of them with {negatives} hard negatives, of "
            f"{counts['codes']} code(s); at least two codes are needed. Raise coding.supervision.hard_negatives or "
            "lower the system's."
        )
    return Pairs(texts, identities(texts, codes), counts)


def identities(texts: dict[str, list[str]], codes: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the columns that tell rows apart: the codes, and the texts folded, as two codes may share a text."""
    return codes | {f"{name}_text": [fold(text) for text in column] for name, column in texts.items()}


def apart(identities: dict[str, list[str]]) -> Callable[..., Any]:
    """Make a trainer's batch sampler that puts no code and no text into a batch twice.

    So no text is a negative of its own code, nor of another code with the same text (field.md item 53). Such false
    negatives are avoided by the choice of a batch; the loss masks nothing. The library's sampler does this for equal
    texts; here it is given codes and folded texts to compare.

    Args:
        identities: columns of n values, of ``Pairs``.
    """
    from datasets import Dataset
    from sentence_transformers.base.sampler import NoDuplicatesBatchSampler

    compared = Dataset.from_dict(identities)
    return lambda dataset, **settings: NoDuplicatesBatchSampler(compared, **settings)
