"""What a paired.json says: the rows of one table block, and how each two of them differ."""

from collections.abc import Mapping, Sequence

from clinbench.evaluation.paired import ERRORS, Compared

BLOCK = ("dataset", "model", "level")
NUMBERS = ("difference", *ERRORS, "interval", "p", "p_bootstrap", "p_delong")
PAIR = ("first", "second", "metric", *NUMBERS, "n_valid", "n_swaps")
SELECTED_ON = ("validation", "test")
FIXED = "fixed settings"  # what a run record says of a system that searches nothing


def paired_record(
    compared: Compared,
    systems: Mapping[str, dict],
    absent: Mapping[str, str],
    *,
    block: Mapping[str, str],
    unit: str,
    n: int,
    groups: int,
    draws: int,
    training_draws: int = 0,
) -> dict:
    """Join the comparisons of a block with what a verdict on them has to know.

    Args:
        compared: of ``comparisons``.
        systems: row to ``seeds`` and ``search``, see ``system_facts``; ``values`` are added.
        absent: rows that did not run, with the reason: they are in no pair.
        block: ``dataset``, and ``model`` and ``level`` where there are some.
        unit: what was drawn and swapped: patient, document or category.
        n: test samples.
        groups: units among them.
        draws: resamples, and random swaps.
        training_draws: of the training stays, where rows are repeated over these, each the mean over its seeds.
    """
    return {
        **{key: block.get(key, "") for key in BLOCK},
        "unit": unit,
        "n": n,
        "groups": groups,
        "seeds": sorted({seed for system in systems.values() for seed in system["seeds"]}),
        "draws": draws,
        "training_draws": training_draws,
        "systems": {row: facts | {"values": compared.values[row]} for row, facts in systems.items()},
        "absent": dict(absent),
        "pairs": compared.pairs,
    }


def system_facts(seeds: Sequence[int], runs: Sequence[Mapping[str, object]]) -> dict:
    """Return the seeds of a row and its search by seed, from the run records of its predictions.

    The search has ``budget``, the trainings it compared (0 with fixed settings, None if not known), ``selection``, on
    which stays (validation or test; None if on none, or not known), and ``alike``, whether these are those of all
    seeds: otherwise they are of the first one.

    Example:
        >>> system_facts([0], [{"selection": "validation auroc", "trainings": 6}])["search"]
        {'budget': 6, 'selection': 'validation', 'alike': True}
    """
    first, *others = (_search(run) for run in runs)
    return {"seeds": list(seeds), "search": first | {"alike": all(one == first for one in others)}}


def _search(run: Mapping[str, object]) -> dict:
    selection = str(run.get("selection"))
    first = selection.split(" ")[0]
    budget = 0 if selection == FIXED else run.get("trainings")
    return {"budget": budget, "selection": first if first in SELECTED_ON else None}
