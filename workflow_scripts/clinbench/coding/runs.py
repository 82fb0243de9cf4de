"""Rankings of codes, and the TREC run files that keep them.

A ranking is a list of ``(code, score)`` sorted by ``(-score, code)``: ties are
broken by code and never by the order of the table (coding.md section 3.4). A
query without an answer has the empty list, and no line in the run file.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clinbench.errors import UserError, refuse
from clinbench.files import read_text, write_text

Ranking = list[tuple[str, float]]
Rankings = list[Ranking]


def sort_ranking(codes: Sequence[str], scores: np.ndarray | Sequence[float], depth: int) -> Ranking:
    """Rank codes by ``(-score, code)``; a code listed several times keeps its best score.

    Args:
        codes: (n,) codes, repeated where a code has several texts.
        scores: (n,) floats, any scale, higher is better.
        depth: how many distinct codes to return at most.

    Raises:
        UserError: a score is NaN.
    """
    scores = np.asarray(scores)
    if np.isnan(scores).any():
        raise UserError(f"The score of code {codes[int(np.isnan(scores).argmax())]} is not a number (NaN).")
    wanted = depth
    while True:
        kept = top_indices(scores, wanted)
        best: dict[str, float] = {}
        for score, code in sorted((-float(scores[at]), str(codes[at])) for at in kept):
            best.setdefault(code, -score)
        if len(best) >= depth or len(kept) == len(scores):
            return list(best.items())[:depth]
        wanted = 2 * max(wanted, len(kept))


def top_indices(scores: np.ndarray, depth: int) -> np.ndarray:
    """Return the unsorted indices of the ``depth`` highest scores and of all that tie with the last."""
    if depth <= 0:
        return np.empty(0, dtype=np.int64)
    if depth >= len(scores):
        return np.arange(len(scores))
    cut = np.partition(scores, len(scores) - depth)[len(scores) - depth]
    return np.flatnonzero(scores >= cut)


def write_run(path: str | Path, query_ids: Sequence[str], rankings: Rankings, system: str) -> None:
    """Write a TREC run atomically: ``query_id Q0 code rank score system``, rank from 1.

    Scores are written in full, so that reading gives the same floats.

    Raises:
        UserError: lengths differ, or a blank or nothing stands in an id, code or system.
    """
    if len(query_ids) != len(rankings):
        raise UserError(f"{path}: {len(query_ids)} queries but {len(rankings)} rankings.")
    names = {system, *query_ids, *(code for ranking in rankings for code, _ in ranking)}
    refuse(
        (f"{name!r}" for name in sorted(names) if len(name.split()) != 1 or name.split() != [name]),
        f"{path}: a TREC run cannot hold empty names or names with blanks:",
    )
    lines = [
        f"{query_id} Q0 {code} {rank} {float(score)!r} {system}\n"
        for query_id, ranking in zip(query_ids, rankings, strict=True)
        for rank, (code, score) in enumerate(ranking, 1)
    ]
    write_text(path, "".join(lines))


def read_run(path: str | Path) -> dict[str, Ranking]:
    """Read a TREC run; each ranking is sorted by ``(-score, code)`` whatever the file's order.

    Queries without an answer are absent.

    Raises:
        UserError: malformed lines, scores that are no number, a code twice for one query.
    """
    if not Path(path).is_file():
        raise UserError(f"{path}: no such run file.")
    found: dict[str, dict[str, float]] = {}
    problems = []
    for at, line in enumerate(read_text(path).split("\n"), 1):
        cells = line.split()
        if not cells:
            continue
        score = number(cells[4]) if len(cells) == 6 else None
        if score is None:
            problems.append(f"line {at}: expected 'query_id Q0 code rank score system', found {line[:80]!r}")
            continue
        codes = found.setdefault(cells[0], {})
        if cells[2] in codes:
            problems.append(f"line {at}: code {cells[2]} is listed twice for query {cells[0]}")
        codes[cells[2]] = score
    refuse(problems, f"{path}: not a TREC run:")
    return {
        query_id: sorted(codes.items(), key=lambda item: (-item[1], item[0]))
        for query_id, codes in found.items()
    }


def number(text: str) -> float | None:
    """Parse a score; None where it is none or NaN."""
    try:
        value = float(text)
    except ValueError:
        return None
    return None if value != value else value
