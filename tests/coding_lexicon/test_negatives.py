"""Negatives: one modifier away first, always on the right side of the chapter border."""

import numpy as np

from clinbench.coding.codes import level
from clinbench.coding.lexicon.meanings import Meaning
from clinbench.coding.lexicon.negatives import Negatives

KINDS = {"right": "laterality", "left": "laterality", "acute": "acuity", "chronic": "acuity", "knee": "site"}
MEANINGS = {
    code: Meaning(code, head, frozenset(modifiers.split()))
    for code, head, modifiers in [
        ("M17.0", "M17", ""),
        ("M17.1", "M17", "right"),
        ("M17.2", "M17", "left"),
        ("M17.3", "M17", "right acute"),
        ("M17.4", "M17", "left chronic"),
        ("M18", "M18", ""),
        ("M20", "M20", ""),
        ("I10", "I10", ""),
        ("I11", "I11", ""),
    ]
}
BLOCKS = {"M17": "M15-M19", "M18": "M15-M19", "M20": "M20-M25", "I10": "I10-I16", "I11": "I10-I16"}
NEGATIVES = Negatives(MEANINGS, KINDS, BLOCKS)


def test_siblings_differ_by_one_modifier():
    # By hand: other side, without the side, with an acuity; not left chronic, which differs by two.
    assert set(NEGATIVES.siblings("M17.1")) == {"M17.2", "M17.0", "M17.3"}
    assert set(NEGATIVES.siblings("M17.4")) == {"M17.2"}
    assert NEGATIVES.siblings("M18") == []


def test_hard_negatives_come_from_ever_farther_away():
    rng = np.random.default_rng(0)
    near = dict(NEGATIVES.hard("M17.4", 6, rng))
    assert near.pop("M17.2") == "one_modifier"
    assert {code: near[code] for code in ("M17.0", "M17.1", "M17.3")} == dict.fromkeys(
        ("M17.0", "M17.1", "M17.3"), "category"
    )
    assert (near["M18"], near["M20"]) == ("block", "chapter")
    assert len(NEGATIVES.hard("M17.4", 99, rng)) == 6  # no more lie in the chapter


def test_sides_of_the_chapter_border():
    rng = np.random.default_rng(0)
    for code in MEANINGS:
        own = level(code, "chapter")
        assert all(level(other, "chapter") == own for other, _ in NEGATIVES.hard(code, 3, rng))
        soft = NEGATIVES.soft(code, 2, rng)
        assert soft and all(level(other, "chapter") != own for other in soft)


def test_an_injury_of_another_category_can_be_a_sibling(tutor):
    negatives = Negatives(tutor.meanings, tutor.kinds, tutor.hierarchy.blocks)
    found = negatives.siblings("S80.01XA")  # contusion of right knee, initial encounter
    assert {"S80.02XA", "S80.01XD", "S60.211A"} <= set(found)
