"""Folding and tokens."""

import unicodedata

import pytest

from clinbench.coding.text import fold, tokens


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Úlcera   gástrica", "ulcera gastrica"),
        ("NIÑO", "niño"),
        ("año ano", "año ano"),
        ("lesión\nvesical", "lesion vesical"),
        ("Straße", "strasse"),
        ("diabetes tipo II", "diabetes tipo ii"),
        ("Françoise", "francoise"),
        ("İstanbul", "istanbul"),
        ("高血圧", "高血圧"),
        ("", ""),
    ],
)
def test_fold_is_the_same_for_every_unicode_form(text, folded):
    for form in ("NFC", "NFD"):
        assert fold(unicodedata.normalize(form, text)) == folded
    assert fold(folded) == folded


def test_tokens_keep_single_letters_and_digits():
    assert tokens("Hepatitis B") == ["hepatitis", "b"]
    assert tokens("Hepatitis B") != tokens("Hepatitis C")
    assert tokens("2,5 mg/día (tipo-2)") == ["2", "5", "mg", "dia", "tipo", "2"]
    assert tokens(unicodedata.normalize("NFD", "sesión niño")) == ["sesion", "niño"]
    assert tokens(" ?! ") == []


def test_negations_are_words_like_others():
    assert tokens("No refiere fiebre, sin tos ni disnea") == [
        "no",
        "refiere",
        "fiebre",
        "sin",
        "tos",
        "ni",
        "disnea",
    ]
    assert tokens("without fever") != tokens("with fever")
