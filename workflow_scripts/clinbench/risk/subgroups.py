"""Scores of subgroups of the test stays, small ones hidden whatever the data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clinbench.cohorts.attributes import attributes
from clinbench.cohorts.tensors import Cohort
from clinbench.evaluation.records import binary_rows, joined_rows
from clinbench.governance import SUPPRESSED, small_group, suppressed_groups
from clinbench.risk.scored import bootstrap_options

METRICS = ("auroc", "average_precision")
EVERYONE = "All stays"


@dataclass(frozen=True)
class Subgroup:
    """Some test stays.

    Attributes:
        name: attribute and group.
        chosen: (N,) bool.
        small: whether they are too few for any number.
        hidden: whether their counts are not told: too few, or a smaller group's would follow.
    """

    name: str
    chosen: np.ndarray
    small: bool
    hidden: bool


def subgroups(
    test: Cohort, age_bands: Sequence[int], least: int, units: Mapping[str, str] | None = None
) -> list[Subgroup]:
    """Part the test stays by each attribute they have; groups without a stay are left out.

    Args:
        test: stays of a task with one label.
        age_bands, units: as ``cohorts.attributes``.
        least: positives and negatives of a group that is shown, see ``governance.suppressed_groups``.
    """
    parts = {"": {EVERYONE: np.ones(len(test), dtype=bool)}} | attributes(test, age_bands, units)
    found = []
    for attribute, groups in parts.items():
        there = {name: chosen for name, chosen in groups.items() if chosen.any()}
        positives = [int(test.labels[chosen].sum()) for chosen in there.values()]
        negatives = [
            int(chosen.sum()) - count for chosen, count in zip(there.values(), positives, strict=True)
        ]
        hidden = suppressed_groups(positives, negatives, least)
        found += [
            Subgroup(
                f"{attribute}: {name}" if attribute else name, chosen, small_group(*counts, least), secret
            )
            for (name, chosen), *counts, secret in zip(
                there.items(), positives, negatives, hidden, strict=True
            )
        ]
    return found


def group_facts(test: Cohort, groups: Sequence[Subgroup], least: int) -> dict:
    """Return the members and positives of each subgroup for captions, ``SUPPRESSED`` where hidden."""
    stays = {one.name: SUPPRESSED if one.hidden else int(one.chosen.sum()) for one in groups}
    positives = {one.name: SUPPRESSED if one.hidden else int(test.labels[one.chosen].sum()) for one in groups}
    return {"group_stays": stays, "group_positives": positives, "least": least}


def subgroup_rows(
    test: Cohort, p: np.ndarray, groups: Sequence[Subgroup], columns: dict, draws: dict
) -> list[dict]:
    """Score each subgroup by itself, with the bootstrap over its own patients.

    Args:
        test: the N test stays.
        p: (S, N) probabilities of S seeds.
        groups: of ``subgroups``.
        columns: of the rows, see ``evaluation.records``; ``subset`` becomes the subgroup's name.
        draws: of the bootstrap, as configured.

    Returns:
        One row for each subgroup and metric of ``METRICS``; of a small one without numbers, of a hidden one without its
        size, of one with a single class undefined.
    """
    rows = []
    for one in groups:
        named = columns | {"subset": one.name}
        if one.small:
            nothing = dict.fromkeys(METRICS, np.nan), dict.fromkeys(METRICS, np.empty(0))
            size = {"n": SUPPRESSED, "seeds": len(p)}
            rows += joined_rows(*nothing, "", size, named, draws["std_draws"], {})
            continue
        scored = (test.labels[one.chosen], p[:, one.chosen], test.patients[one.chosen])
        found = binary_rows(*scored, columns=named, **bootstrap_options(draws))
        size = {"n": SUPPRESSED} if one.hidden else {}
        rows += [row | size for row in found if row["metric"] in METRICS]
    return rows
