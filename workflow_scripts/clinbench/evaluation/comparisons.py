"""All pairs of the rows of one table, compared on the same draws of patients or documents."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from clinbench.evaluation import binary, multilabel, ranking
from clinbench.evaluation.bootstrap import score_labels, score_seed
from clinbench.evaluation.delong import delong
from clinbench.evaluation.documents import METRICS as OF_DOCUMENTS
from clinbench.evaluation.documents import document_ratios, gold_tallies
from clinbench.evaluation.paired import Compared, Draws, Scored, compare
from clinbench.evaluation.records import numbered_draws
from clinbench.evaluation.swaps import (
    Ratios,
    draw_swaps,
    swap_binary,
    swap_multilabel,
    swap_tallies,
    unit_tallies,
)

Codes = Mapping[str, Sequence[str]]  # of each document


def compare_outcomes(
    y: np.ndarray, p: Mapping[str, np.ndarray], groups: np.ndarray, draws: int = 1000, seed: int = 0
) -> Compared:
    """Compare rows of one binary outcome or of several, pair by pair.

    Args:
        y: (N,) or (N, C) labels, 0 or 1.
        p: row to (S, *y.shape) scores of S seeds; or to (T, S, *y.shape) of T draws of the training stays, which
            are then what a row is repeated over, each the mean over its seeds.
        groups: (N,) the patient of each sample, of any type.
        draws: resamples, and as many random swaps.
        seed: of both; equal seeds and groups give the resamples of ``records.binary_rows``.

    Returns:
        As ``paired.compare``, with the metrics of ``binary`` or ``multilabel``.

    Raises:
        UserError: as ``binary_metrics`` and ``paired.compare``.
    """
    unit, weights = numbered_draws(groups, draws, seed)
    unit, swaps = unit.astype(np.uint32), draw_swaps(weights.shape[1], draws, seed)
    flat, scored = {}, {}
    for name, scores in p.items():
        repeats = len(scores) if np.ndim(scores) == np.ndim(y) + 2 else 1
        labels, flat[name] = binary.checked(y, np.reshape(scores, (-1, *np.shape(y))), seeds=True)
        score = _of_binary if labels.ndim == 1 else _of_labels
        seeds = [score(labels, one, unit, weights) for one in flat[name]]
        scored[name] = _repeated(seeds, repeats)
    swap = swap_binary if np.ndim(y) == 1 else swap_multilabel

    def checks(first: str, second: str) -> dict[str, float]:
        return {"auroc": delong(y, flat[first], flat[second], unit)["p"]} if np.ndim(y) == 1 else {}

    return compare(
        scored,
        lambda first, second: swap(labels, flat[first], flat[second], unit, swaps),
        checks,
        seed,
    )


def compare_systems(
    rankings: Mapping[str, Sequence[Sequence[ranking.Ranking]]],
    golds: Sequence[tuple[str, ...]],
    docs: np.ndarray,
    levels: Mapping[str, Callable[[str], str]],
    *,
    depth: int,
    draws: int = 1000,
    seed: int = 0,
    documents: tuple[Codes, Mapping[str, Sequence[Codes]]] | None = None,
) -> Compared:
    """Compare retrieval systems at every level of the code hierarchy and by whole documents, pair by pair.

    Args:
        rankings: system to (S, Q) rankings of S seeds.
        golds: (Q,) the codes accepted for each query.
        docs: (Q,) the document of each query, of any type.
        levels: name to the class of a code.
        depth: R@k with k beyond it is left out.
        draws, seed: as ``compare_outcomes``.
        documents: gold codes by document, and those of each system and seed, as ``retrieval.document_rows`` takes
            them; None where queries are of no documents.

    Returns:
        As ``paired.compare``; a metric is called by its level and name, such as ``exact_f1`` or ``exact_doc_map``.
    """
    unit, weights = numbered_draws(docs, draws, seed)
    wanted = [name for name in ranking.METRICS if name not in {f"r{k}" for k in ranking.DEPTHS if k > depth}]
    answered = {
        name: np.stack([ranking.answered_queries(one) for one in runs]) for name, runs in rankings.items()
    }
    found = []
    for level, of in levels.items():
        sums = {}
        for name, runs in rankings.items():
            ranks = np.stack([ranking.gold_ranks(one, golds, of) for one in runs])
            sums[name] = unit_tallies(ranking.tallies(ranks, answered[name]), unit, weights.shape[1])
        found.append(compare_tallies(sums, weights, _named(ranking.ratios, level, wanted), seed))
    if documents:
        gold, predicted = documents
        sums = {name: np.stack([gold_tallies(gold, one) for one in runs]) for name, runs in predicted.items()}
        found.append(compare_tallies(sums, weights, _named(document_ratios, "exact", OF_DOCUMENTS), seed))
    pairs = [pair for one in found for pair in one.pairs]
    values = {
        name: {key: known for one in found for key, known in one.values[name].items()} for name in rankings
    }
    return Compared(pairs, values)


def compare_tallies(
    sums: Mapping[str, np.ndarray], weights: np.ndarray, ratios: Ratios, seed: int
) -> Compared:
    """Compare rows whose metrics are ``ratios`` of sums over units, (S, U, K) of each row."""
    swaps = draw_swaps(weights.shape[1], len(weights), seed)
    weights = weights.astype(np.float64)
    scored = {name: Scored(ratios(row.sum(axis=1)), ratios(weights @ row)) for name, row in sums.items()}
    return compare(
        scored, lambda first, second: swap_tallies(sums[first], sums[second], swaps, ratios), seed=seed
    )


def _of_binary(
    y: np.ndarray, p: np.ndarray, unit: np.ndarray, weights: np.ndarray
) -> tuple[Mapping[str, float], Draws]:
    drawn = score_seed(y, p, unit, weights, curve=True)
    return binary.binary_metrics(y, p), dict(zip(binary.METRICS, drawn.T, strict=False))


def _of_labels(
    y: np.ndarray, p: np.ndarray, unit: np.ndarray, weights: np.ndarray
) -> tuple[Mapping[str, float], Draws]:
    scores = multilabel.multilabel_metrics(y, p)
    return {name: scores[name] for name in multilabel.METRICS}, score_labels(y, p, unit, weights)


def _repeated(seeds: Sequence[tuple[Mapping[str, float], Draws]], repeats: int) -> Scored:
    """Join what seeds scored; with several draws of the training stays, average the seeds of each."""
    metrics = list(seeds[0][0])
    points = {name: np.array([point[name] for point, _ in seeds]) for name in metrics}
    drawn = {name: np.stack([draws[name] for _, draws in seeds]) for name in metrics}
    if repeats == 1:
        return Scored(points, drawn)
    return Scored(
        {name: values.reshape(repeats, -1).mean(axis=1) for name, values in points.items()},
        {name: values.reshape(repeats, -1, values.shape[1]).mean(axis=1) for name, values in drawn.items()},
    )


def _named(ratios: Ratios, level: str, wanted: Sequence[str]) -> Ratios:
    """Call metrics by level and name, and keep those wanted."""
    return lambda sums: {f"{level}_{name}": value for name, value in ratios(sums).items() if name in wanted}
