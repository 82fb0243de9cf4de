"""Fusion of any named systems: reciprocal ranks (Cormack, Clarke and Buettcher, SIGIR 2009), or sums of scores."""

from collections import defaultdict

import numpy as np
import polars as pl

from clinbench.coding.context import Context
from clinbench.coding.runs import Ranking, Rankings, sort_ranking
from clinbench.defaults import with_defaults
from clinbench.errors import UserError

TITLE = "Fusion"
TRAINED = False
NEEDS = ("systems",)
PER_SYSTEM = ("weights",)  # options with one value for each system
OPTIONS = {
    "by": {
        "enum": ["ranks", "scores"],
        "default": "ranks",
        "description": "What is summed: ranks, 1 / (constant + rank); scores, the systems' own, negative ones as 0. "
        "Scores need systems whose scores compare, such as cosines and votes of cosines (0 to 1).",
    },
    "constant": {
        "type": "number",
        "minimum": 0,
        "default": 60.0,
        "description": "k of 1 / (k + rank); small values let the first ranks decide.",
    },
    "weights": {
        "type": ["array", "null"],
        "items": {"type": "number", "exclusiveMinimum": 0},
        "default": None,
        "description": "Weight of each system, in the order of `systems`; null weighs all alike.",
    },
}
DIGITS = 12  # the order of a sum must not decide a tie


def search(queries: list[str], table: pl.DataFrame, options: dict, context: Context, depth: int) -> Rankings:
    """Score a code by the sum of weight / (constant + rank), or of weight * score, over the systems that rank it.

    Codes that tie in a system share the mean of the ranks they take up. A query is unanswered where
    every system leaves it so.

    Args:
        queries: q mentions.
        table: not looked at.
        options: see ``OPTIONS``.
        context: ``runs``, the rankings of each system.
        depth: codes per query.

    Raises:
        UserError: no system, another number of weights, or rankings that do not fit the queries.
    """
    settings = with_defaults(OPTIONS, options)
    runs = context.runs or {}
    weights = settings["weights"] or [1.0] * len(runs)
    if not runs or len(weights) != len(runs):
        raise UserError(f"fusion: {len(runs)} system(s) but {len(weights)} weight(s).")
    wrong = [name for name, rankings in runs.items() if len(rankings) != len(queries)]
    if wrong:
        raise UserError(f"fusion: not one ranking for each of {len(queries)} queries: {', '.join(wrong)}.")
    fused = []
    for rankings in zip(*runs.values(), strict=True):
        scores: dict[str, float] = defaultdict(float)
        for weight, ranking in zip(weights, rankings, strict=True):
            for code, part in _parts(ranking, settings):
                scores[code] += weight * part
        fused.append(sort_ranking(list(scores), np.round(list(scores.values()), DIGITS), depth))
    return fused


def _parts(ranking: Ranking, settings: dict) -> list[tuple[str, float]]:
    """Give each code what one system adds to its sum."""
    if settings["by"] == "scores":
        return [(code, max(score, 0.0)) for code, score in ranking]
    return [(code, 1 / (settings["constant"] + place)) for code, place in _places(ranking)]


def _places(ranking: Ranking) -> list[tuple[str, float]]:
    """Give each code its rank from 1, tied codes the mean of theirs."""
    places: dict[float, list[int]] = defaultdict(list)
    for rank, (_, score) in enumerate(ranking, 1):
        places[score].append(rank)
    return [(code, sum(places[score]) / len(places[score])) for code, score in ranking]
