"""List-wise groups: one mention, its code, and hard negatives for training a cross-encoder.

The record of coding.md section 1.2, one JSON object a line:
``{"id", "doc", "split", "query", "positive": {"code", "text"}, "negatives": [{"code", "text", "source"}]}``.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from clinbench.coding.json_lines import read_lines, write_lines
from clinbench.coding.runs import Ranking, Rankings
from clinbench.coding.text import fold
from clinbench.coding.texts import Texts, first_texts
from clinbench.errors import UserError, refuse
from clinbench.progress import progress
from clinbench.runtime import cell_seed

REASONS = ("gold", "same_description", "other_annotation")
KEYS = ("id", "doc", "query", "positive", "negatives")


def mine_groups(
    train: pl.DataFrame,
    table: pl.DataFrame,
    candidates: dict[str, Rankings],
    negatives: int = 9,
    seed: int = 0,
) -> tuple[list[dict], dict]:
    """Build one group for each training query from what retrieval confuses with its code.

    The sources take turns, each offering its next best candidate; which begins is drawn for each
    query. Never a negative: the gold code, a code described in the gold's words, a code annotated
    for the same folded mention anywhere in ``train``. Headings and sub-codes of the gold may be.

    Args:
        train: (Q) queries frame.
        table: codes table; a code's text is its first one in the mention's language, else its first.
        candidates: source name (``bm25``, ``dense``) to (Q,) rankings aligned with ``train``.
        negatives: how many negatives a group has at most.
        seed: of the draw of the first source.

    Returns:
        The groups, in the order of ``train``, and counts: ``queries``, ``groups``, ``full_groups``,
        ``no_negative`` and ``gold_not_in_table`` (queries without a group), ``negatives`` (by source)
        and ``refused`` candidates by reason.

    Raises:
        UserError: no source, or rankings that are not aligned with ``train``.
    """
    _check(train, candidates)
    texts, described = first_texts(table), _described(table)
    annotated = defaultdict(set)
    for query, code in train.select("query", "code").iter_rows():
        annotated[fold(query)].add(code)
    counts = Counter(queries=train.height, groups=0, full_groups=0, no_negative=0, gold_not_in_table=0)
    refused, used = Counter(dict.fromkeys(REASONS, 0)), Counter(dict.fromkeys(candidates, 0))
    groups = []
    for at, row in enumerate(progress(train.iter_rows(named=True), "mining groups", train.height)):
        if row["code"] not in texts.codes:
            counts["gold_not_in_table"] += 1
            continue
        forbidden = _forbidden(row, described, annotated)
        lists = {source: rankings[at] for source, rankings in candidates.items()}
        chosen = _alternate(lists, forbidden, negatives, cell_seed(seed, row["query_id"]), refused)
        counts["groups" if chosen else "no_negative"] += 1
        counts["full_groups"] += len(chosen) == negatives
        used.update(source for _, source in chosen)
        groups += [_group(row, chosen, texts)] if chosen else []
    return groups, {**counts, "negatives": dict(used), "refused": dict(refused)}


def distinct(train: pl.DataFrame) -> pl.DataFrame:
    """Keep the first query of each folded (mention, code): repetition reweights frequent mentions."""
    folded = pl.Series("folded", [fold(query) for query in train["query"]], dtype=pl.String)
    return (
        train.with_columns(folded)
        .unique(["folded", "code"], keep="first", maintain_order=True)
        .drop("folded")
    )


def retold(groups: list[dict], train: pl.DataFrame, table: pl.DataFrame) -> list[dict]:
    """Say the codes of groups in a table's words: what it lacks, as a table cut to some sources does, goes.

    Args:
        groups: from ``mine_groups``, whose table may have had more texts.
        train: queries frame they were mined from.
        table: codes table.

    Returns:
        The groups whose positive is in the table, each with those of its negatives that are.
    """
    texts, langs = first_texts(table), dict(train.select("query_id", "lang").iter_rows())

    def items(found: list[dict], lang: str) -> list[dict]:
        return [one | {"text": texts.of(one["code"], lang)} for one in found if one["code"] in texts.codes]

    told = []
    for group in groups:
        lang = langs[group["id"]]
        negatives = items(group["negatives"], lang)
        for positive in items([group["positive"]], lang) if negatives else []:
            told.append(group | {"positive": positive, "negatives": negatives})
    return told


def write_groups(path: str | Path, groups: list[dict]) -> None:
    """Write groups as JSON Lines, atomically."""
    write_lines(path, groups)


def read_groups(path: str | Path) -> list[dict]:
    """Read what ``write_groups`` wrote.

    Raises:
        UserError: no such file, or lines that are no group, by number.
    """
    return read_lines(path, "list-wise groups", "list-wise groups", _problems)


def _problems(group: object) -> list[str]:
    missing = [key for key in KEYS if not isinstance(group, dict) or key not in group]
    return [f"no {', '.join(missing)}"] * bool(missing)


def _check(train: pl.DataFrame, candidates: dict[str, Rankings]) -> None:
    if not candidates:
        raise UserError("List-wise groups need at least one source of negatives, such as bm25.")
    refuse(
        (
            f"'{source}' has {len(rankings)}"
            for source, rankings in candidates.items()
            if len(rankings) != train.height
        ),
        f"Rankings that do not fit the {train.height} training queries:",
    )


class Described(NamedTuple):
    """Codes by folded text, and folded texts by code."""

    codes: dict[str, set[str]]
    texts: dict[str, set[str]]


def _described(table: pl.DataFrame) -> Described:
    """Return the codes that each folded text describes, and back."""
    codes, texts = defaultdict(set), defaultdict(set)
    for code, text in table.select("code", "text").iter_rows():
        codes[fold(text)].add(code)
        texts[code].add(fold(text))
    return Described(codes, texts)


def _forbidden(row: dict, described: Described, annotated: dict) -> dict[str, str]:
    """Return the codes that may not be a query's negatives, each with the reason."""
    forbidden = dict.fromkeys(annotated[fold(row["query"])], "other_annotation")
    for text in described.texts[row["code"]]:
        forbidden |= dict.fromkeys(described.codes[text], "same_description")
    return forbidden | {row["code"]: "gold"}


def _alternate(
    lists: dict[str, Ranking], forbidden: dict[str, str], negatives: int, seed: int, refused: Counter
) -> list[tuple[str, str]]:
    """Take candidates from the sources in turn until ``negatives`` are found: ``(code, source)``."""
    order = np.random.default_rng(seed).permutation(sorted(lists)).tolist()
    waiting = {source: iter(lists[source]) for source in order}
    chosen: dict[str, str] = {}
    turned_down: set[str] = set()
    while waiting and len(chosen) < negatives:
        source = order[0]
        order = order[1:] + order[:1]
        code = _next_allowed(waiting[source], forbidden, chosen, turned_down) if source in waiting else None
        if code is None:
            waiting.pop(source, None)
        else:
            chosen[code] = source
    refused.update(forbidden[code] for code in turned_down)
    return list(chosen.items())


def _next_allowed(
    ranking: Iterator[tuple[str, float]],
    forbidden: dict[str, str],
    chosen: dict[str, str],
    turned_down: set[str],
) -> str | None:
    """Return a source's next code that is neither forbidden nor taken; None when it has no more."""
    for code, _ in ranking:
        if code in forbidden:
            turned_down.add(code)
        elif code not in chosen:
            return code
    return None


def _group(row: dict, chosen: list[tuple[str, str]], texts: Texts) -> dict:
    def item(code: str) -> dict:
        return {"code": code, "text": texts.of(code, row["lang"])}

    return {
        "id": row["query_id"],
        "doc": row["doc"],
        "split": row["split"],
        "query": row["query"],
        "positive": item(row["code"]),
        "negatives": [item(code) | {"source": source} for code, source in chosen],
    }
