"""Runs made elsewhere: a TREC run, or a TSV or CSV with the columns ``query_id, code, score``."""

from collections import Counter
from collections.abc import Container
from pathlib import Path

from clinbench.coding.codes import resolve
from clinbench.coding.delimited import read_sheet
from clinbench.coding.runs import Rankings, number, read_run, sort_ranking
from clinbench.errors import UserError, refuse

COLUMNS = ("query_id", "code", "score")


def read_external(
    path: Path, query_ids: list[str], pool: Container[str], depth: int
) -> tuple[Rankings, dict]:
    """Read a run and align it with the queries; codes in any spelling, the best score of several, ties by code.

    Args:
        path: the file; it is a TREC run if its first line has no ``query_id``.
        query_ids: of the test mentions, as in ``queries.tsv``.
        pool: codes that can be answered; others stay in the ranking and are wrong.
        depth: codes per query that are kept.

    Returns:
        The rankings, and counts: ``answered`` queries, ``respelt`` (kind of change: lines) and
        ``outside_pool`` (lines whose code is not in the pool).

    Raises:
        UserError: no such file, lines that cannot be read, codes that are none or stand twice for a query in
            one spelling, or ids of no test mention.
    """
    found = _read(path)
    known = set(query_ids)
    strange = [query for query in found if query not in known]
    refuse(
        (f"'{query}'" for query in strange),
        f"{path}: these are no ids of test mentions, which look like '{query_ids[0]}':",
    )
    respelt, outside, problems = Counter(), 0, []
    rankings: dict[str, list[tuple[str, float]]] = {}
    for query, ranking in found.items():
        scored = []
        for raw, score in ranking:
            code = resolve(raw, pool)
            if code.kind != "single":
                problems.append(f"query {query}: {raw!r} is not one ICD-10 code")
                continue
            respelt.update(code.changes)
            outside += code.codes[0] not in pool
            scored.append((code.codes[0], score))
        rankings[query] = sort_ranking([c for c, _ in scored], [s for _, s in scored], depth)
    refuse(problems, f"{path}: codes that cannot be used:")
    counts = {
        "answered": sum(map(bool, rankings.values())),
        "respelt": dict(sorted(respelt.items())),
        "outside_pool": outside,
    }
    return [rankings.get(query, []) for query in query_ids], counts


def _read(path: Path) -> dict[str, list[tuple[str, float]]]:
    """Read either form: query id to its (code, score) pairs."""
    if not path.is_file():
        raise UserError(f"{path}: no such run file.")
    with open(path, encoding="utf-8-sig", errors="replace") as handle:
        if COLUMNS[0] not in handle.readline():
            return dict(read_run(path))
    sheet = read_sheet(path)
    at = [sheet.column(name) for name in COLUMNS]
    found: dict[str, dict[str, float]] = {}
    problems = []
    for line, cells in sheet.rows:
        query, code, text = (cells[place].strip() for place in at)
        score = number(text)
        if score is None:
            problems.append(f"line {line}: the score {text!r} is no number")
        elif code in found.setdefault(query, {}):
            problems.append(f"line {line}: code {code} is listed twice for query {query}")
        else:
            found[query][code] = score
    refuse(problems, f"{sheet.origin}: lines that cannot be used:")
    return {query: list(scores.items()) for query, scores in found.items()}
