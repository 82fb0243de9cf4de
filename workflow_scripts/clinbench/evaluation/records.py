"""The long rows of a metrics file: one metric at one level, with its interval and its origin."""

import sys
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from clinbench.errors import UserError, closest, refuse
from clinbench.evaluation import binary, bootstrap, macro, multilabel, ranking

# The columns a caller gives, with their defaults; the rest of a row is computed.
GIVEN = {
    "track": "",
    "task": "",
    "dataset": "",
    "model": "",
    "system": "",
    "subset": "all",
    "selection": "",
    "published": None,
    "comparable": "",
}
ORIGIN = ["track", "task", "dataset", "model", "system", "level", "subset", "metric"]
NUMBERS = ["value", "std", "ci_low", "ci_high", "n", "n_valid", "seeds"]
KEYS = [*ORIGIN, *NUMBERS, "selection", "published", "comparable"]

Columns = Mapping[str, object | Mapping[tuple[str, str], object] | Callable[[str, str], object]]


def binary_rows(
    y: np.ndarray,
    p: np.ndarray,
    groups: np.ndarray,
    *,
    columns: Columns,
    draws: int = 1000,
    std_draws: int = 100,
    value: str = "sample",
    seed: int = 0,
) -> list[dict]:
    """Score a binary outcome with its bootstrap over groups.

    Args:
        y: (N,) labels, 0 or 1.
        p: (N,) or (S, N) probabilities of S seeds; values and draws are averaged over them.
        groups: (N,) the patient of each sample, of any type.
        columns: the columns of ``GIVEN``; a mapping keyed (level, metric) or a function of both where
            a column differs by metric.
        draws: resamples behind the interval.
        std_draws: how many of them, the first, are behind the standard deviation.
        value: ``sample``, the metric of the test set; or ``bootstrap_mean``, its mean over the first
            ``std_draws`` draws, as the paper's hidden table has it (risk.md §4.5).
        seed: of the draws; equal seeds and groups give paired draws.

    Returns:
        One row with ``KEYS`` per metric of ``binary.METRICS``.

    Raises:
        UserError: see ``bootstrap_binary``; or a column is unknown.
    """
    y, p = binary.checked(y, p, seeds=True)
    unit, weights = numbered_draws(groups, draws, seed)
    ties = max(map(binary.tie_share, p))
    if ties > 0.05:
        _warn(columns, f"{ties:.0%} of the scores are tied: auprc flatters, read average_precision")
    points = _mean([binary.binary_metrics(y, scores) for scores in p], binary.METRICS)
    drawn = bootstrap.bootstrap_binary(y, p, unit, weights)
    size = {"n": len(y), "seeds": len(p)}
    points = points if value == "sample" else drawn_means(drawn, std_draws)
    return joined_rows(points, drawn, "", size, columns, std_draws, {"accuracy": weights.shape[1]})


def multilabel_rows(
    y: np.ndarray,
    p: np.ndarray,
    groups: np.ndarray,
    *,
    columns: Columns,
    labels: Sequence[str] = (),
    draws: int = 1000,
    std_draws: int = 100,
    value: str = "sample",
    seed: int = 0,
) -> list[dict]:
    """Score C outcomes of each stay, as ``binary_rows``: ``y`` (N, C), ``p`` (N, C) or (S, N, C).

    Args:
        y, p, groups, columns, draws, std_draws, seed: as ``binary_rows``.
        labels: names of the C outcomes, if each shall be scored alone as well.

    Returns:
        One row per metric of ``multilabel.METRICS``, then the auroc of each of ``labels``, with the label as
        ``subset``; labels left out of macro are told on stderr.

    Raises:
        UserError: as ``binary_rows``; or there are not as many ``labels`` as outcomes.
    """
    y, p = binary.checked(y, p, seeds=True)
    unit, weights = numbered_draws(groups, draws, seed)
    scored = [multilabel.multilabel_metrics(y, scores) for scores in p]
    if scored[0]["labels"] < y.shape[1]:
        _warn(
            columns,
            f"macro_auroc averages {scored[0]['labels']} of {y.shape[1]} labels: others have one class",
        )
    drawn = bootstrap.bootstrap_multilabel(y, p, unit, weights)
    size = {"n": len(y), "seeds": len(p)}
    points = _mean(scored, multilabel.METRICS) if value == "sample" else drawn_means(drawn, std_draws)
    rows = joined_rows(points, drawn, "", size, columns, std_draws, {})
    if labels and len(labels) != y.shape[1]:
        raise UserError(f"{len(labels)} labels are named, but {y.shape[1]} outcomes are given.")
    settings = {"draws": draws, "std_draws": std_draws, "value": value, "seed": seed}
    for at, label in enumerate(labels):
        alone = binary_rows(y[:, at], p[..., at], groups, columns={**columns, "subset": label}, **settings)
        rows += [row for row in alone if row["metric"] == "auroc"]
    return rows


def sampled_rows(
    y: np.ndarray,
    p: Sequence[np.ndarray],
    groups: np.ndarray,
    *,
    level: str,
    columns: Columns,
    draws: int = 1000,
    std_draws: int = 100,
    value: str = "sample",
    seed: int = 0,
) -> list[dict]:
    """Score a binary outcome by models of several draws of the training stays (SCEHR, imbalance study).

    Args:
        y, groups, columns, draws, std_draws, value, seed: as ``binary_rows``.
        p: of each draw, (S, N) probabilities of its S seeds.
        level: the share of positives trained on, as text, or "all".

    Returns:
        Rows as ``binary_rows`` with ``level``: first those whose value is the mean over draws and seeds
        (``subset`` "all"), then those of each draw (``subset`` "draw 0", "draw 1" …). Resamples are paired.

    Raises:
        UserError: as ``binary_rows``; or draws differ in their number of seeds.
    """
    seeds = [len(np.atleast_2d(scores)) for scores in p]
    if len(set(seeds)) != 1:
        raise UserError(
            f"Level {level}: the draws have {seeds} seeds; all need the same number, at least one."
        )
    settings = {"draws": draws, "std_draws": std_draws, "value": value, "seed": seed}
    together = np.concatenate([np.atleast_2d(scores) for scores in p])
    rows = binary_rows(y, together, groups, columns=columns, **settings)
    for at, scores in enumerate(p):
        rows += binary_rows(y, scores, groups, columns={**columns, "subset": f"draw {at}"}, **settings)
    return [row | {"level": level, "seeds": seeds[0]} for row in rows]


def ranking_rows(
    ranks: Mapping[str, np.ndarray],
    answered: np.ndarray,
    docs: np.ndarray,
    *,
    columns: Columns,
    draws: int = 1000,
    std_draws: int = 100,
    seed: int = 0,
    depth: int | None = None,
    classes: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
) -> list[dict]:
    """Score ranked codes at every level, with the bootstrap over documents.

    Args:
        ranks: level to (Q,) or (S, Q) ranks of ``ranking.gold_ranks``.
        answered: (Q,) or (S, Q) bool of ``ranking.answered_queries``.
        docs: (Q,) the document of each query, of any type.
        columns, draws, std_draws, seed: as ``binary_rows``.
        depth: R@k with k beyond it is left out; None keeps all.
        classes: level to (Q,) gold and (S, Q) first answers as classes, see ``macro``; None for no macro.

    Returns:
        One row with ``KEYS`` per level and metric of ``ranking.METRICS`` (and ``macro.METRICS``); the draws are
        the same for all.
    """
    unit, weights = numbered_draws(docs, draws, seed)
    beyond = {f"r{k}" for k in ranking.DEPTHS if depth is not None and k > depth}
    rows = []
    for level, at_level in ranks.items():
        at_level = np.atleast_2d(at_level)
        replies = np.broadcast_to(answered, at_level.shape)
        scored = [ranking.ranking_metrics(*pair) for pair in zip(at_level, replies, strict=True)]
        drawn = ranking.bootstrap_ranking(at_level, replies, unit, weights)
        size = {"n": at_level.shape[1], "seeds": len(at_level)}
        points = _mean(scored, tuple(name for name in ranking.METRICS if name not in beyond))
        if classes is not None:
            gold, tops = classes[level]
            points |= _mean([macro.macro_metrics(gold, top) for top in tops], macro.METRICS)
            drawn |= macro.bootstrap_macro(gold, tops, unit, weights)
        trials = dict.fromkeys(ranking.METRICS, weights.shape[1])
        trials["precision"] = len(np.unique(unit[replies.any(axis=0)]))
        rows += joined_rows(points, drawn, level, size, columns, std_draws, trials)
    return rows


def numbered_draws(groups: np.ndarray, draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Number the groups in sorted order, so that draws are paired over models, and draw them."""
    names, unit = np.unique(np.asarray(groups), return_inverse=True)
    return unit, bootstrap.draw_weights(len(names), draws, seed)


def _mean(scored: list[dict[str, float]], metrics: tuple[str, ...]) -> dict[str, float]:
    return {name: float(np.mean([scores[name] for scores in scored])) for name in metrics}


def drawn_means(drawn: dict[str, np.ndarray], std_draws: int) -> dict[str, float]:
    """Average the first draws that are defined; NaN where none is."""
    first = {name: draws[:std_draws][~np.isnan(draws[:std_draws])] for name, draws in drawn.items()}
    return {name: float(draws.mean()) if draws.size else np.nan for name, draws in first.items()}


def joined_rows(
    points: dict[str, float],
    drawn: dict[str, np.ndarray],
    level: str,
    size: dict[str, int],
    columns: Columns,
    std_draws: int,
    trials: dict[str, int],
) -> list[dict]:
    """Join points, draws and columns into rows with ``KEYS`` in their order.

    ``trials`` gives the independent units behind each mean of 0-to-1 scores, see ``summarise``.
    """
    unknown = (f"'{name}'{closest(name, GIVEN)}" for name in columns if name not in GIVEN)
    refuse(unknown, f"A metrics row has no such column to give; there are {', '.join(GIVEN)}:")
    rows = []
    for metric, point in points.items():
        numbers = bootstrap.summarise(point, drawn[metric], std_draws, trials.get(metric))
        total, undefined = len(drawn[metric]), len(drawn[metric]) - numbers["n_valid"]
        if undefined > 0.05 * total:
            _warn(columns, f"{metric} is undefined in {undefined} of {total} draws, which are left out")
        given = {name: _given(columns, name, level, metric) for name in GIVEN}
        row = given | {"level": level, "metric": metric} | size | numbers
        rows.append({key: row[key] for key in KEYS})
    return rows


def _given(columns: Columns, name: str, level: str, metric: str) -> object:
    """Resolve a column that may differ by level and metric; its default where nothing is said."""
    value = columns.get(name, GIVEN[name])
    if isinstance(value, Mapping):
        return value.get((level, metric), GIVEN[name])
    return value(level, metric) if callable(value) else value


def _warn(columns: Columns, message: str) -> None:
    named = ("dataset", "model", "system", "subset")
    where = " ".join(str(columns[name]) for name in named if columns.get(name))
    print(f"Warning: {where or 'metrics'}: {message}.", file=sys.stderr, flush=True)
