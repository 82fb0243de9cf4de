"""A user's mentions to be coded, and the codes that a system gave them, as files people read."""

from pathlib import Path

import polars as pl

from clinbench.coding.delimited import read_sheet
from clinbench.coding.frames import queries_frame
from clinbench.coding.runs import Rankings
from clinbench.errors import UserError, refuse

COLUMNS = ("query", "lang", "doc")
CODED = ("query_id", "query", "rank", "code", "text", "score")


def read_mentions(path: str | Path) -> pl.DataFrame:
    """Read a TSV or CSV with a column ``query`` and, if there, ``lang`` and ``doc``.

    Returns:
        Queries frame of split ``test`` without gold codes; ``query_id`` is ``line:`` and the row's line.

    Raises:
        UserError: no such file, no column ``query``, or empty mentions, each with its line.
    """
    sheet = read_sheet(Path(path))
    sheet.column(COLUMNS[0])
    at = {name: sheet.column(name) for name in COLUMNS if name in sheet.names}
    rows, problems = [], []
    for line, cells in sheet.rows:
        found = {name: " ".join(cells[place].split()) for name, place in at.items()}
        if not found["query"]:
            problems.append(f"line {line}: the mention is empty")
        doc = found.get("doc") or f"line:{line}"
        rows.append((f"line:{line}", "test", found["query"], "", doc, found.get("lang", "")))
    refuse(problems, f"{sheet.origin}: rows that cannot be coded:")
    return queries_frame(rows)


def coded_frame(mentions: pl.DataFrame, rankings: Rankings, table: pl.DataFrame, ranks: int) -> pl.DataFrame:
    """List the first codes of each mention, in the order of the file.

    Args:
        mentions: queries frame, q rows.
        rankings: q rankings, aligned with it.
        table: codes table; a code is shown with its first text.
        ranks: codes per mention at most.

    Returns:
        Frame of strings with the columns ``CODED``; a mention without an answer has one row, its last four
        cells empty. Scores of one mention compare, those of two need not.

    Raises:
        UserError: lengths differ.
    """
    if len(mentions) != len(rankings):
        raise UserError(f"{len(mentions)} mentions, but {len(rankings)} rankings.")
    texts = dict(table.unique("code", keep="first", maintain_order=True).select("code", "text").iter_rows())
    rows = []
    for mention, ranking in zip(mentions.iter_rows(named=True), rankings, strict=True):
        own = mention["query_id"], mention["query"]
        for rank, (code, score) in enumerate(ranking[:ranks], 1):
            rows.append((*own, str(rank), code, texts[code], f"{score:.6g}"))
        if not ranking:
            rows.append((*own, "", "", "", ""))
    return pl.DataFrame(rows, schema=dict.fromkeys(CODED, pl.String), orient="row")
