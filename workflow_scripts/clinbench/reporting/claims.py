"""The ledger of claims as a table: the verdict on each, with the numbers it rests on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from clinbench.reporting.cells import UNDEFINED, count, interval, number
from clinbench.reporting.plain import Kind, Shown, lay_out
from clinbench.reporting.table import Table

NOTE = (
    "A claim is replicated if all its comparisons are in the claimed direction, with 95 % intervals apart from 0 and "
    "p below .05 after Holm's correction over the tested claims of its block; contradicted if the opposite is as "
    "clear; else inconclusive. Published gives the paper's values of both rows. Differences are means over the seeds; "
    "of running times they are shares of the step of BCE, tested for equivalence (TOST). p is after the correction. "
    "n counts test stays or mentions, for running times training stays. Samples thinned of positives are repeated over "
    "draws of them, each the mean over its seeds. A difference that is defined in less than 95 % of the resamples is "
    "not tested."
)


def claims(rows: Sequence[dict], facts: Mapping[str, dict], runs: Sequence[dict], min_seeds: int) -> Table:
    """Build the table of claims.

    Args:
        rows: one a claim and place, as ``clinbench.claims.assess`` returns them.
        facts, runs: as ``plain.lay_out``.
        min_seeds: of each trained row, for a claim to be tested.

    Raises:
        UserError: as ``plain.lay_out``.
    """
    seeds = f"Trained rows need {min_seeds} seeds, equal search budgets and selection on validation."
    kind = replace(CLAIMS, note=" ".join(filter(None, (tally(rows), NOTE, seeds, apart(rows)))))
    told = [{key: row[key] for key in CLAIMS.keys} for row in rows]
    return lay_out(kind, told, facts, runs)


def tally(rows: Sequence[dict]) -> str:
    """Count the verdicts, in words.

    Example:
        >>> tally([{"verdict": "replicated"}, {"verdict": "inconclusive"}])
        'Of 2 verdicts 1 is replicated, 1 inconclusive.'
    """
    counts = Counter(row["verdict"] for row in rows)
    order = ("replicated", "contradicted", "inconclusive", "not testable here")
    told = [f"{counts[verdict]} {verdict}" for verdict in order if counts[verdict]]
    if not told:
        return "There are no verdicts."
    first, *others = told
    many = first.split(" ", 1)
    verb = "is" if many[0] == "1" else "are"
    whole = f"Of {len(rows)} verdict{'s' * (len(rows) != 1)}"
    return f"{whole} {', '.join([f'{many[0]} {verb} {many[1]}', *others])}."


def apart(rows: Sequence[dict]) -> str:
    """Name the families that are tested on the very same files: Holm's correction is over each, not over both.

    Args:
        rows: with ``family``, ``title`` and ``files``.

    Example:
        >>> apart([{"family": name, "title": name.upper(), "files": ["one.json"]} for name in ("a", "b")])
        'Of the same table and predictions, but corrected apart, so that errors add up: A / B.'
    """
    titles: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        if row["files"]:
            titles.setdefault(tuple(row["files"]), {})[row["family"]] = row["title"]
    several = dict.fromkeys(" / ".join(found.values()) for found in titles.values() if len(found) > 1)
    if not several:
        return ""
    return f"Of the same table and predictions, but corrected apart, so that errors add up: {'; '.join(several)}."


def repeats(row: Mapping[str, object]) -> str:
    """Word what a row of the ledger is the mean of: seeds, or draws of thinned training stays.

    Example:
        >>> repeats({"seeds": 5, "training_draws": 0}), repeats({"seeds": "5", "training_draws": "3"})
        ('5', '3 draws')
    """
    draws = int(row["training_draws"] or 0)
    return f"{draws} draw{'s' * (draws != 1)}" if draws else str(row["seeds"] or UNDEFINED)


def _footnote(row: dict) -> str:
    """Say why, what was not published, and how many resamples count where some do not."""
    some = row["valid"] is not None and row["valid"] < 1
    counted = f"{100 * row['valid']:.1f} % of the resamples are defined" if some else ""
    return "; ".join(filter(None, (row["why"], counted, row["unpublished"])))


def _published(row: dict) -> str:
    values = (row["published_first"], row["published_second"])
    return UNDEFINED if values == (None, None) else " / ".join(map(_value, values))


def _value(value: float | None) -> str:
    """Write a published value with as many decimals as its paper."""
    return "?" if value is None else f"{value:.4f}".removesuffix("0").removeprefix("0")


def _p(row: dict) -> str:
    if row["p_holm"] is None:
        return UNDEFINED
    return "<.001" if row["p_holm"] < 0.001 else number(row["p_holm"])


def _detail(row: dict) -> str:
    return "; ".join(filter(None, (row["title"], row["setting"])))


CLAIMS = Kind(
    name="claims",
    title="The papers' claims",
    keys=(
        *("claim", "paper", "family", "title", "sentence", "dataset", "model", "own", "setting", "kind"),
        *("first", "second", "level", "metric", "published_first", "published_second"),
        *("difference", "low", "high", "p", "p_holm", "n", "seeds", "training_draws", "valid"),
        *("verdict", "why", "unpublished"),
    ),
    block=("dataset", "model", "family"),
    corner="Claim",
    label=lambda row: row["sentence"],
    columns=(
        Shown("Verdict", lambda row: row["verdict"]),
        Shown("Published", _published),
        Shown("Difference", lambda row: number(row["difference"])),
        Shown("95 % interval", lambda row: interval(row["low"], row["high"]) or UNDEFINED),
        Shown("p", _p),
        Shown("n", lambda row: count(row["n"])),
        Shown("Seeds or draws", repeats),
    ),
    detail=_detail,
    note="",
    footnote=_footnote,
    tall=True,
)
