"""Whether a run can test a claim: rows that are there, equal searches, honest selection, enough seeds and draws."""

from collections.abc import Collection, Mapping, Sequence

from clinbench.claims.ledger import Claim
from clinbench.reporting.names import shown_level, shown_system

DRAWS = 3  # of the training stays, the least that tell how much these matter


def obstacle(
    claim: Claim, record: Mapping, trained: Collection[str], needs: Sequence[str], min_seeds: int
) -> str:
    """Return why paired statistics cannot test a claim, or "".

    Args:
        claim: compared are all rows its comparisons name.
        record: of paired statistics: ``systems`` (row to ``seeds`` and ``search``, see ``system_facts``), ``absent``
            (row to reason), ``training_draws``.
        trained: rows with a trained part; seeds and searches are theirs only.
        needs: conditions to check: "rows", "budget", "validation", "seeds", "draws".
        min_seeds: of each trained row.
    """
    rows = rows_of(claim)
    checks = {
        "rows": lambda: missing(rows, record),
        "budget": lambda: (
            _unalike(_searched(rows, record, trained)) or _unequal(_searched(rows, record, trained))
        ),
        "validation": lambda: (
            _unalike(_searched(rows, record, trained)) or _on_test(_searched(rows, record, trained))
        ),
        "seeds": lambda: _few(rows, record, trained, min_seeds),
        "draws": lambda: _few_draws(record["training_draws"]),
    }
    return next((why for need in checks if need in needs and (why := checks[need]())), "")


def rows_of(claim: Claim) -> list[str]:
    """Return the rows a claim compares, each once, in order."""
    pairs = [(one.first, one.second) for one in claim.comparisons]
    return list(dict.fromkeys(row for pair in pairs for row in pair))


def missing(rows: Sequence[str], record: Mapping) -> str:
    """Say which row is not there, and why."""
    for row in rows:
        if reason := record.get("absent", {}).get(row):
            return f"{shown_system(row)} could not run: {reason.rstrip('.')}"
        if row not in record["systems"]:
            return f"{shown_system(row)} is no row of this run"
    return ""


def unmet_level(level: str) -> str:
    """Say that a level was not run."""
    return f"the level {shown_level(level)} is not among those of this run"


def _searched(rows: Sequence[str], record: Mapping, trained: Collection[str]) -> dict[str, dict]:
    """Return how each trained row was searched."""
    return {row: record["systems"][row]["search"] for row in rows if row in trained}


def _unalike(searches: Mapping[str, Mapping]) -> str:
    """Name a row whose seeds were not searched or selected alike: what is true of one seed says nothing of it."""
    unalike = [row for row, search in searches.items() if not search["alike"]]
    return f"the seeds of {shown_system(unalike[0])} were not searched alike" if unalike else ""


def _unequal(searches: Mapping[str, Mapping]) -> str:
    budgets = {row: search["budget"] for row, search in searches.items()}
    if unknown := [row for row, budget in budgets.items() if budget is None]:
        return f"the search budget of {shown_system(unknown[0])} is not known"
    if len(set(budgets.values())) < 2:
        return ""
    told = ", ".join(f"{shown_system(row)} {budget}" for row, budget in budgets.items())
    return f"search budgets differ: {told} trainings per seed"


def _on_test(searches: Mapping[str, Mapping]) -> str:
    """Name a row that was selected on the test set, or nobody knows on what; without a search nothing is selected."""
    for row, search in searches.items():
        if search["selection"] == "test":
            return f"{shown_system(row)} was selected on the test set"
        if search["selection"] is None and search["budget"] != 0:
            return f"it is not known on what {shown_system(row)} was selected"
    return ""


def _few(rows: Sequence[str], record: Mapping, trained: Collection[str], min_seeds: int) -> str:
    counts = {row: len(set(record["systems"][row]["seeds"])) for row in rows if row in trained}
    if not counts or min(counts.values()) >= min_seeds:
        return ""
    few = min(counts.values())
    return f"{few} seed{'s' * (few != 1)}, fewer than the {min_seeds} of claims.min_seeds"


def _few_draws(draws: int) -> str:
    """Say that there are too few draws of the training stays; 0 stands for none, where all of them are trained on."""
    if not 0 < draws < DRAWS:
        return ""
    return f"{draws} draw{'s' * (draws != 1)} of the training stays, fewer than {DRAWS}"
