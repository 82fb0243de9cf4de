"""Editions of ICD-10: a code that one lacks is looked up in the others, so that a message can name them."""

import sys
from collections.abc import Container, Iterable, Mapping
from functools import cache

from clinbench.coding.codes import EDITIONS, in_edition


@cache
def packaged() -> dict[str, frozenset[str]]:
    """Return the editions that come with the suite: name to codes. Takes seconds the first time."""
    from clinbench.coding.tables import icd10cm

    return {icd10cm.EDITION: frozenset(icd10cm.load({}, {})[0]["code"])}


def unknown(code: str, edition: str, others: Mapping[str, Container[str]] | None = None) -> str:
    """Say where a canonical code that an edition lacks is known.

    Args:
        code: canonical code.
        edition: the edition or table that lacks it.
        others: further editions, name to codes.

    Example:
        >>> unknown("I82.4", "WHO 2019", {"ICD-10-CM 2026": {"I82.4"}})
        'I82.4 is unknown in WHO 2019, known in ICD-10-CM 2026'
        >>> unknown("B59", "ICD-10-CM 2026")
        'B59 is unknown in ICD-10-CM 2026'
        >>> unknown("D49", "WHO 2019")
        'D49 is unknown in WHO 2019; WHO ICD-10 has no category D49, ICD-10-CM / CIE-10-ES has'
    """
    known = [name for name, codes in (others or {}).items() if code in codes and name != edition]
    if known:
        return f"{code} is unknown in {edition}, known in {' and '.join(known)}"
    has = {name: in_edition(code[:3], key) for key, name in EDITIONS.items()}
    lacking, having = ([name for name in has if has[name] is wanted] for wanted in (False, True))
    if lacking and having:
        return f"{code} is unknown in {edition}; {lacking[0]} has no category {code[:3]}, {having[0]} has"
    return f"{code} is unknown in {edition}"


def tell_unknown(places: Mapping[str, Iterable[str]], origin: str, pool: int, edition: str) -> None:
    """Print gold codes that a table of some edition lacks: where they stand, and which edition knows them."""
    if not places:
        return
    total = sum(len(list(found)) for found in places.values())
    print(
        f"{origin}: {total} gold code(s) are not among the table's {pool} codes and count as wrong:",
        file=sys.stderr,
    )
    for code in sorted(places):
        print(f"  {unknown(code, edition, packaged())}: {', '.join(places[code])}", file=sys.stderr)
