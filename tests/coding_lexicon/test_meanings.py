"""Titles of ICD-10-CM read into head, modifiers and sites."""

import pytest

from clinbench.coding.lexicon.meanings import read_meanings, read_title

LEXICON = {category: {} for category in ("M17", "I50", "K25", "S72", "E27", "C50", "D61")}


@pytest.mark.parametrize(
    ("code", "title", "category", "head", "modifiers"),
    [
        (
            "M17.11",
            "Unilateral primary osteoarthritis, right knee",
            "Osteoarthritis of knee",
            "M17",
            "primary right",
        ),
        (
            "M17.0",
            "Bilateral primary osteoarthritis of knee",
            "Osteoarthritis of knee",
            "M17",
            "bilateral primary",
        ),
        (
            "K25.0",
            "Acute gastric ulcer with hemorrhage",
            "Gastric ulcer",
            "K25",
            "acute with_haemorrhage",
        ),
        (
            "S72.301A",
            "Unspecified fracture of shaft of right femur, initial encounter for closed fracture",
            "Fracture of femur",
            "S72",
            "shaft right initial_closed",
        ),
        (
            "S60.021D",
            "Contusion of right index finger without damage to nail, subsequent encounter",
            "Superficial injury of wrist, hand and fingers",
            "contusion",
            "right index_finger without_nail_damage subsequent",
        ),
        (
            "S72.301B",
            "Unspecified fracture of shaft of right femur, initial encounter for open fracture type I or II "
            "initial encounter for open fracture NOS",
            "Fracture of femur",
            "S72",
            "shaft right initial_open_12",
        ),
        ("I50.9", "Heart failure, unspecified", "Heart failure", "I50", ""),
    ],
)
def test_titles_are_read(vocabulary, code, title, category, head, modifiers):
    meaning = read_title(code, title, category, LEXICON, vocabulary)
    assert (meaning.head, meaning.modifiers) == (head, set(modifiers.split()))


@pytest.mark.parametrize(
    ("code", "title", "category"),
    [
        ("K25.0", "Acute gastric ulcer with a word of its own", "Gastric ulcer"),
        ("M17.9", "Osteoarthritis, unspecified", "Osteoarthritis of knee"),  # drops the knee
        ("E27.8", "Other specified disorders of adrenal gland", "Other disorders of adrenal gland"),
        (
            "S96.911",
            "Strain of unspecified muscle and tendon at ankle and foot level, right foot",
            "",
        ),  # two sites
        ("S60.021", "Contusion and abrasion of right index finger", ""),  # two heads
    ],
)
def test_what_is_not_wholly_understood_is_left(vocabulary, code, title, category):
    assert read_title(code, title, category, LEXICON, vocabulary) is None


def test_the_deepest_code_of_a_meaning_is_kept_and_ambiguous_ones_are_not(vocabulary):
    titles = {
        "I50": "Heart failure",
        "I50.9": "Heart failure, unspecified",
        "K25": "Gastric ulcer",
        "K25.1": "Gastric ulcer, acute",
        "K25.2": "Acute gastric ulcer",
        "K25.3": "Gastric ulcer of something else",
    }
    meanings, counts = read_meanings(titles, LEXICON, vocabulary)
    assert list(meanings) == ["I50.9", "K25"]
    assert counts == {"understood": 2, "not_understood": 1, "same_as_deeper": 1, "ambiguous": 2}


def test_the_real_hierarchy_yields_codes_of_every_category_of_the_lexicon(tutor, lexicon):
    said = {code[:3] for code in tutor.meanings}
    assert set(lexicon) <= said
    assert len(tutor.meanings) > 5000
