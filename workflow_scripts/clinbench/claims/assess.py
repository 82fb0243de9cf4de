"""Every claim at every place where a run could test it: one row each, for the table and the JSON file."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from clinbench.claims.conditions import missing, obstacle, rows_of, unmet_level
from clinbench.claims.ledger import EQUIVALENCE, NONE, Claim, Family, Place
from clinbench.claims.measured import Measured, at_level, measure
from clinbench.claims.verdicts import UNTESTABLE, deciding, judge
from clinbench.governance import HIDDEN
from clinbench.reporting.names import shown_system
from clinbench.significance import holm

NUMBERS = ("difference", "low", "high", "n", "seeds", "training_draws", "valid")


def assess(
    families: Sequence[Family], places: Sequence[Place], records: Mapping[str, Mapping], min_seeds: int
) -> list[dict]:
    """Judge every claim at every place of its family.

    Args:
        families: of the ledger.
        places: at least one of every family.
        records: file to its content.
        min_seeds: seeds of each trained row that a test needs.

    Returns:
        One row per claim and place, families in the ledger's order: ``claim``, ``paper``, ``family``, ``title``,
        ``sentence``, ``dataset``, ``model``, ``own`` ("yes" where it is the data of the paper), ``setting`` (data,
        encoders, timing, words), ``kind``, ``files`` (what it was tested on); the comparison shown: ``first``,
        ``second``, ``level``, ``metric``, ``published_first``, ``published_second``, ``difference``, ``low``,
        ``high``, ``n``, ``seeds``, ``training_draws``, ``valid``; the claim's ``p`` and ``p_holm``; ``verdict``,
        ``why``, ``unpublished`` and all ``comparisons``. What is not known is None.
    """
    order = {family.name: at for at, family in enumerate(families)}
    rows = []
    for place in sorted(places, key=lambda place: order[place.family]):
        rows += _at(families[order[place.family]], place, records, min_seeds)
    return rows


def _at(family: Family, place: Place, records: Mapping[str, Mapping], min_seeds: int) -> list[dict]:
    """Judge the claims of a family at one place; Holm's correction is over those that are tested."""
    own = {level: records[file] for level, file in (place.files or {}).items()}
    found = {claim.name: _found(claim, family, place, own, min_seeds) for claim in family.claims}
    tested = [name for name, one in found.items() if not isinstance(one, str) and not place.synthetic]
    adjusted = dict(zip(tested, holm([deciding(found[name])[1] for name in tested]), strict=True))
    return [
        _row(family, place, claim, found[claim.name], adjusted.get(claim.name), own)
        for claim in family.claims
    ]


def _found(
    claim: Claim, family: Family, place: Place, records: Mapping[str, Mapping], min_seeds: int
) -> list[Measured] | str:
    """Return what was measured of a claim, or why it cannot be tested."""
    if claim.kind == NONE:
        return claim.untestable
    if place.refused:
        return place.refused
    if claim.kind == EQUIVALENCE:
        timed = {"systems": records[""]["ratios"]}
        return missing(rows_of(claim), timed) or measure(claim, records, family.track)
    for level in _levels(claim):
        record = at_level(records, level)
        if record is None:
            return unmet_level(level)
        if why := obstacle(claim, record, place.trained, family.needs, min_seeds):
            return why
    return measure(claim, records, family.track)


def _levels(claim: Claim) -> list[str]:
    levels = [level for one in claim.comparisons for level in (one.level, one.than)]
    return list(dict.fromkeys(level for level in levels if level is not None))


def _row(
    family: Family,
    place: Place,
    claim: Claim,
    found: list[Measured] | str,
    adjusted: float | None,
    records: Mapping[str, Mapping],
) -> dict:
    """Make the row of one claim at one place, whose records are by level."""
    measured = [] if isinstance(found, str) else found
    shown, p = deciding(measured)[:2] if measured else (None, None)
    if adjusted is not None:
        verdict, why = judge(claim, measured, adjusted)
    else:
        verdict, why = UNTESTABLE, found
        if place.synthetic and not place.refused and claim.kind != NONE:
            why = "the data are synthetic, which tells nothing of patients"
    compared = shown.comparison if shown else next(iter(claim.comparisons), None)
    values = family.values(compared) if compared else (None, None)
    return {
        "claim": claim.name,
        "paper": family.paper,
        "family": family.name,
        "title": family.title,
        "sentence": claim.text,
        "dataset": place.dataset,
        "model": place.model,
        "own": "yes" if shown and _own(family, place, shown.n) else "no",
        "setting": "; ".join(_setting(family, place, shown) + _timing(claim, records if shown else {})),
        "kind": claim.kind,
        "files": sorted((place.files or {}).values()),
        **{key: getattr(compared, key) if compared else "" for key in ("first", "second", "level", "metric")},
        "published_first": values[0],
        "published_second": values[1],
        **{key: getattr(shown, key) if shown else None for key in NUMBERS},
        "p": p,
        "p_holm": adjusted,
        "verdict": verdict,
        "why": why + (f"; {claim.note}" if claim.note else ""),
        "unpublished": claim.unpublished if None in values else "",
        "comparisons": [_told(family, one) for one in measured],
    }


def _own(family: Family, place: Place, n: int | str) -> bool:
    """Tell whether the data are the paper's: the data set, and the size of its test set."""
    own = family.own
    return n != HIDDEN and place.dataset in own["datasets"] and (not own["n"] or n in own["n"])


def _setting(family: Family, place: Place, shown: Measured | None) -> list[str]:
    """Say whose data these are, and which encoder trained systems start from."""
    told = []
    if shown:
        whose = "the paper's data" if _own(family, place, shown.n) else "not the paper's data"
        told.append(whose if whose == "the paper's data" else f"{whose}, {family.own['title']}")
    theirs = family.own.get("encoder", "")
    ours = {name for row, name in (place.encoders or {}).items() if row in place.trained}
    if shown and theirs and ours - {theirs}:
        named = ", ".join(sorted(map(shown_system, ours)))
        told.append(f"trained systems start from {named}, the paper's from {shown_system(theirs)}")
    return told


def _timing(claim: Claim, records: Mapping[str, Mapping]) -> list[str]:
    """Say on what and with which batches steps were timed: ratios of losses differ by both."""
    if claim.kind != EQUIVALENCE or not records:
        return []
    run = records[""]
    threads = f"{run['threads']} thread{'s' * (run['threads'] != 1)}"
    return [f"timed on {run.get('gpu') or run['device']}, {threads}, {run['batch_size']:,} stays a step"]


def _told(family: Family, one: Measured) -> dict:
    """Return one comparison as JSON, with the paper's values."""
    first, second = family.values(one.comparison)
    numbers = {key: value for key, value in asdict(one).items() if key != "comparison"}
    return {**asdict(one.comparison), "published_first": first, "published_second": second, **numbers}
