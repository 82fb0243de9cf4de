"""Noise on queries: what each kind does, and that rates are kept."""

import numpy as np
import pytest

from clinbench.coding.lexicon.noise import RATES, add_noise, telegraphic, with_typo, without_accents

NONE = dict.fromkeys(RATES, 0.0)


def test_rate_zero_changes_nothing():
    rng = np.random.default_rng(0)
    assert add_noise("fractura de fémur", "es", NONE, rng) == ("fractura de fémur", [])


@pytest.mark.parametrize(
    ("lang", "text", "brief"),
    [
        ("es", "fractura de la rótula", "fractura rótula"),
        ("fr", "la fracture du fémur", "la fracture fémur"),
        ("en", "fracture of the femur", "fracture femur"),
    ],
)
def test_telegraphic_leaves_out_function_words_but_the_first(lang, text, brief):
    assert telegraphic(text, lang) == brief


def test_accents_go_and_ene_stays():
    assert (
        without_accents("Éclampsie du cœur, España, NIÑO, coração")
        == "Eclampsie du cœur, España, NIÑO, coracao"
    )


def test_a_typo_changes_one_longer_word_by_one_letter():
    rng = np.random.default_rng(2)
    kinds = set()
    for _ in range(200):
        first, second = with_typo("ojo hipertensión", rng).split(" ")
        assert first == "ojo"
        assert second != "hipertensión" and second[0] == "h"
        kinds.add(len(second) - len("hipertensión"))
    assert kinds == {-1, 0, 1}
    assert with_typo("de B12 ojo", rng) == "de B12 ojo"


@pytest.mark.parametrize("name", ["telegraphic", "accents", "typos", "case"])
def test_rates_are_kept(name):
    rng = np.random.default_rng(3)
    rates = NONE | {name: 0.3}
    applied = [add_noise("fractura de fémur", "es", rates, rng)[1] for _ in range(1000)]
    assert all(found in ([], [name]) for found in applied)
    assert 230 < sum(map(bool, applied)) < 370
