"""All long rows of one retrieval system: levels, subsets of the queries, and whole documents."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from clinbench.evaluation.documents import METRICS as OF_DOCUMENTS
from clinbench.evaluation.documents import document_ratios, gold_tallies
from clinbench.evaluation.ranking import Ranking, answered_queries, gold_ranks
from clinbench.evaluation.records import Columns, joined_rows, numbered_draws, ranking_rows

Golds = Sequence[tuple[str, ...]]


def retrieval_rows(
    rankings: Sequence[Sequence[Ranking]],
    golds: Golds,
    docs: np.ndarray,
    levels: Mapping[str, Callable[[str], str]],
    subsets: Mapping[str, np.ndarray],
    *,
    columns: Columns,
    draws: int = 1000,
    std_draws: int = 100,
    depth: int | None = None,
    smallest: int = 1,
) -> list[dict]:
    """Score rankings at every level, on every subset.

    Args:
        rankings: (S, Q) rankings of S seeds.
        golds: (Q,) the codes accepted for each query, the one that stands for it first.
        docs: (Q,) the document of each query, of any type.
        levels: name to the class of a code.
        subsets: name to (Q,) bool. Macro averages are for names without a colon.
        columns, draws, std_draws: as ``records.binary_rows``; ``subset`` is filled in.
        depth: codes a ranking has at most; R@k beyond it is not reported.
        smallest: subsets of fewer queries are left out, but for ``all``.

    Returns:
        One row with ``records.KEYS`` per subset, level and metric.
    """
    answered = np.stack([answered_queries(of_seed) for of_seed in rankings])
    ranks = {name: np.stack([gold_ranks(one, golds, of) for one in rankings]) for name, of in levels.items()}
    classes = {name: _classes(rankings, golds, ranks[name], of) for name, of in levels.items()}
    rows = []
    for subset, chosen in subsets.items():
        if subset != "all" and chosen.sum() < smallest:
            continue
        rows += ranking_rows(
            {name: values[:, chosen] for name, values in ranks.items()},
            answered[:, chosen],
            np.asarray(docs)[chosen],
            columns={**columns, "subset": subset},
            draws=draws,
            std_draws=std_draws,
            depth=depth,
            classes=None
            if ":" in subset
            else {name: (gold[chosen], tops[:, chosen]) for name, (gold, tops) in classes.items()},
        )
    return rows


def document_rows(
    gold: Mapping[str, Sequence[str]],
    predicted: Sequence[Mapping[str, Sequence[str]]],
    *,
    columns: Columns,
    draws: int = 1000,
    std_draws: int = 100,
    seed: int = 0,
) -> list[dict]:
    """Score whole documents as CodiEsp's official evaluation does, with the bootstrap over documents.

    Args:
        gold: document to its gold codes.
        predicted: of each seed, document to its predicted codes, best first.
        columns, draws, std_draws, seed: as ``records.binary_rows``.

    Returns:
        One row per metric of ``documents.METRICS`` at the level ``exact``; ``n`` counts documents.
    """
    tallies = np.stack([gold_tallies(gold, of_seed) for of_seed in predicted])  # seeds, documents, 5
    _, weights = numbered_draws(np.array(sorted(gold)), draws, seed)
    points = [document_ratios(of_seed.sum(axis=0)) for of_seed in tallies]
    drawn = [document_ratios(weights @ of_seed) for of_seed in tallies]
    return joined_rows(
        {name: float(np.mean([scores[name] for scores in points])) for name in OF_DOCUMENTS},
        {name: np.mean([scores[name] for scores in drawn], axis=0) for name in OF_DOCUMENTS},
        "exact",
        {"n": len(gold), "seeds": len(predicted)},
        columns,
        std_draws,
        {},
    )


def _classes(
    rankings: Sequence[Sequence[Ranking]], golds: Golds, ranks: np.ndarray, of: Callable[[str], str]
) -> tuple[np.ndarray, np.ndarray]:
    """Number the class of each gold (Q,) and of each first answer (S, Q); any accepted answer is the gold's."""
    number: dict[str, int] = {}
    gold = np.array([number.setdefault(of(codes[0]), len(number)) for codes in golds], dtype=np.int64)
    tops = np.array(
        [
            [number.setdefault(of(ranking[0][0]), len(number)) if ranking else -1 for ranking in of_seed]
            for of_seed in rankings
        ],
        dtype=np.int64,
    )
    return gold, np.where(ranks == 1, gold, tops)
