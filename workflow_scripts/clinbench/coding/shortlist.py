"""What a re-ranker would have answered with a shorter shortlist, from its run and the run it re-ranked."""

from clinbench.coding.runs import Ranking, Rankings
from clinbench.errors import UserError

SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def sizes(shortlist: int, depth: int) -> list[int]:
    """Return the sizes to show: round ones, and the longest that the runs tell of."""
    longest = min(shortlist, depth)
    return [*(size for size in SIZES if size < longest), longest]


def shortened(first_stage: Rankings, reranked: Rankings, size: int) -> Rankings:
    """Return the rankings that re-ranking the first ``size`` codes gives; scores are those of the first stage.

    A cross-encoder scores each (mention, text) pair alone, so a shorter shortlist is the longer one without the
    codes beyond its end, in the same order.

    Args:
        first_stage: q rankings that were re-ranked.
        reranked: q rankings by ``rerank`` with a shortlist of at least ``size``.
        size: codes of the shorter list.

    Raises:
        UserError: a code of the shortlist is missing in ``reranked``.
    """
    return [_shortened(*pair, size) for pair in zip(first_stage, reranked, strict=True)]


def _shortened(first: Ranking, reranked: Ranking, size: int) -> Ranking:
    place = {code: at for at, (code, _) in enumerate(reranked)}
    if missing := [code for code, _ in first[:size] if code not in place]:
        raise UserError(
            f"The re-ranked run lacks {missing[0]}, which the first stage shortlists; rank again."
        )
    return sorted(first[:size], key=lambda item: place[item[0]]) + first[size:]
