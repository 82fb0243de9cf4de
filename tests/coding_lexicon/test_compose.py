"""Texts in six languages: agreement, order, and no side that goes with the wrong noun."""

import numpy as np
import pytest

from clinbench.coding.lexicon.compose import Composer, plain, reordered
from clinbench.coding.lexicon.meanings import Meaning
from clinbench.coding.lexicon.terms import Term
from clinbench.coding.lexicon.vocabulary import Forms


def composer(vocabulary, term, agreement, lang):
    """Return a composer of one term whose modifiers always take their adjective."""
    only = {
        name: {
            at: Forms(forms.adjective, forms.phrases[:1], forms.shorts)
            if not forms.adjective or vocabulary.kinds[name] == "laterality"
            else Forms(forms.adjective, (), ())
            for at, forms in by_lang.items()
        }
        for name, by_lang in vocabulary.modifiers.items()
    }
    lexicon = {"X00": {lang: [Term(term, "preferred", agreement)]}}
    return Composer(lexicon, vocabulary._replace(modifiers=only, heads={}))


def say(vocabulary, lang, agreement, term, modifiers, join=plain):
    made = composer(vocabulary, term, agreement, lang)
    meaning = Meaning("X00.1", "X00", frozenset(modifiers.split()))
    (chosen,) = made.terms(meaning, lang)

    class Adjective:  # draws 0: the first choice, and the adjective wherever there is one
        def random(self):
            return 0.0

        def integers(self, high):
            return 0

    return join(made.words(meaning, lang, chosen, Adjective(), short=0.0))


@pytest.mark.parametrize(
    ("lang", "agreement", "term", "modifiers", "text"),
    [
        ("es", "fs", "otitis media", "acute", "otitis media aguda"),
        ("es", "mp", "cálculos renales", "recurrent", "cálculos renales recurrentes"),
        ("ca", "fs", "otitis mitjana", "chronic", "otitis mitjana crònica"),
        ("it", "fp", "emorroidi", "chronic", "emorroidi croniche"),
        ("pt", "fs", "artrose", "primary", "artrose primária"),
        ("fr", "fs", "pancréatite", "acute severe", "pancréatite aiguë sévère"),
        ("en", "-", "pancreatitis", "acute severe", "acute severe pancreatitis"),
        ("es", "fs", "artrosis", "knee right", "artrosis de la rodilla derecha"),
        ("ca", "fs", "artrosi", "knee right", "artrosi del genoll dret"),
        ("it", "fs", "artrosi", "knee left", "artrosi del ginocchio sinistro"),
        ("fr", "fs", "arthrose", "knee left", "arthrose du genou gauche"),
        ("en", "-", "arthritis", "knee left", "arthritis of left knee"),
        ("en", "-", "arthritis", "knee", "arthritis of the knee"),
        # "derecha" would agree with the fracture and be read with the femur.
        ("es", "fs", "fractura de fémur", "right", "fractura de fémur, lado derecho"),
        ("es", "fs", "cadera dolorosa", "right", "cadera dolorosa derecha"),
        ("es", "fs", "fractura de fémur", "shaft right", "fractura de fémur, diáfisis, lado derecho"),
        ("es", "fs", "fractura", "shaft radius left", "fractura de la diáfisis del radio izquierdo"),
        ("en", "-", "fracture", "shaft radius left", "fracture of shaft of left radius"),
        ("pt", "fs", "úlcera gástrica", "acute with_haemorrhage", "úlcera gástrica aguda com hemorragia"),
        ("es", "fs", "contusión", "knee subsequent", "contusión de la rodilla, visita de seguimiento"),
        ("en", "-", "asthma", "persistent mild", "mild persistent asthma"),
        ("pt", "fs", "asma", "persistent mild", "asma persistente ligeira"),
        ("en", "-", "fracture", "displaced oblique", "displaced oblique fracture"),
        ("fr", "fs", "fracture", "displaced oblique", "fracture oblique déplacée"),
        # Both sides are of the disease, not of one hand.
        ("es", "fs", "artrosis", "hand bilateral", "artrosis bilateral de la mano"),
        ("es", "ms", "dedo en resorte", "ring_finger right", "dedo en resorte, dedo anular derecho"),
        ("it", "ms", "tumore ai polmoni", "right", "tumore ai polmoni, lato destro"),
        ("en", "-", "muscle contracture", "multiple_sites", "muscle contracture of multiple sites"),
        # After a comma all is set apart, and so is a second "with".
        ("es", "fs", "úlcera por presión", "buttock stage_2", "úlcera por presión, nalga, estadio 2"),
        (
            "ca",
            "fs",
            "hepatitis B",
            "with_delta with_hepatic_coma",
            "hepatitis B amb agent delta, amb coma hepàtic",
        ),
        ("fr", "fs", "dépression", "mild single_episode", "dépression légère, épisode isolé"),
    ],
)
def test_agreement_and_order(vocabulary, lang, agreement, term, modifiers, text):
    assert say(vocabulary, lang, agreement, term, modifiers) == text


def test_a_list_puts_the_term_first(vocabulary):
    def join(words):
        return reordered(words, np.random.default_rng(0))

    text = say(vocabulary, "en", "-", "otitis media", "acute right_ear", join)
    assert sorted(text.split(", ")) == ["acute", "otitis media", "right ear"]
    assert text.startswith("otitis media, ")


def test_a_term_that_says_another_acuity_is_not_taken(vocabulary):
    lexicon = {"X00": {"es": [Term("otitis aguda", "preferred", "fs"), Term("otitis", "synonym", "fs")]}}
    made = Composer(lexicon, vocabulary._replace(heads={}))
    chronic = made.terms(Meaning("X00.1", "X00", frozenset({"chronic"})), "es")
    plain_one = made.terms(Meaning("X00", "X00", frozenset()), "es")
    assert [term.text for term in chronic] == ["otitis"]
    assert [term.text for term in plain_one] == ["otitis aguda", "otitis"]


def test_short_forms_are_taken_at_their_rate(vocabulary):
    made = Composer({"X00": {"en": [Term("otitis", "preferred", "-")]}}, vocabulary._replace(heads={}))
    meaning, term = Meaning("X00.1", "X00", frozenset({"right"})), Term("otitis", "preferred", "-")
    rng = np.random.default_rng(1)
    short = sum(
        plain(made.words(meaning, "en", term, rng, 0.5)) in ("otitis R", "otitis rt") for _ in range(400)
    )
    assert 160 < short < 240


def test_lay_words_take_no_adjective_where_there_are_others(vocabulary):
    terms = [Term("estreñimiento", "preferred", "ms"), Term("voy mal al baño", "lay", "ms")]
    made = Composer({"X00": {"es": terms}}, vocabulary._replace(heads={}))

    def texts(modifiers):
        return [term.text for term in made.terms(Meaning("X00.1", "X00", frozenset(modifiers)), "es")]

    assert texts({"chronic"}) == ["estreñimiento"]
    assert texts({"with_perforation"}) == texts(set()) == ["estreñimiento", "voy mal al baño"]


def test_lay_words_do_not_bear_what_agrees_with_a_fracture(vocabulary):
    terms = [Term("fractura de fémur", "preferred", "fs"), Term("fémur roto", "lay", "ms")]
    made = Composer({"X00": {"es": terms}}, vocabulary._replace(heads={}))
    closed = made.terms(Meaning("X00.1A", "X00", frozenset({"initial_closed"})), "es")
    assert [term.text for term in closed] == ["fractura de fémur"]
