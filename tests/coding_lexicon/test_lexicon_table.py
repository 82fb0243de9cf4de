"""The lexicon as a table of codes and texts."""

import pytest

from clinbench.coding.lexicon.hierarchy import Hierarchy
from clinbench.coding.tables import lexicon

TITLES = {
    "J45": "Asthma",
    "N20": "Calculus of kidney and ureter",
    "S52": "Fracture of forearm",
    "S52.5": "Fracture of lower end of radius",
    "S52.50": "Unspecified fracture of the lower end of radius",
    "S52.501": "Unspecified fracture of the lower end of right radius",
    "S52.501A": "Unspecified fracture of the lower end of right radius, initial encounter for closed fracture",
    "Q99": "Other chromosome abnormalities, not elsewhere classified",
}


@pytest.fixture(scope="module")
def hierarchy():
    return Hierarchy(TITLES, {code: "block" for code in TITLES if len(code) == 3})


def test_each_understood_code_has_one_text_for_each_term(hierarchy):
    frame, info = lexicon.load({}, {"language": "es"}, hierarchy)
    assert frame.filter(code="J45").height >= 3 and "asma" in [text.lower() for text in frame["text"]]
    assert set(frame["lang"]) == {"es"} and set(frame["source"]) == {"lexicon"}
    assert info["codes"] == frame["code"].n_unique() and info["texts"] == frame.height
    assert frame.equals(lexicon.load({}, {"language": "es"}, hierarchy)[0])


def test_codes_of_an_encounter_are_left_out_unless_asked_for(hierarchy):
    short, _ = lexicon.load({}, {"language": "en"}, hierarchy)
    long, _ = lexicon.load({}, {"language": "en", "encounters": True}, hierarchy)
    assert "S52.501A" not in set(short["code"])
    assert set(short["code"]) <= set(long["code"])
