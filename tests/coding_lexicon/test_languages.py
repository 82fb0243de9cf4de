"""The benchmark of composed queries: categories held out of data set A, asked for in each language."""

import pytest

from clinbench.coding.benchmarks import languages
from clinbench.coding.frames import table_frame
from clinbench.coding.supervision.turns import held_out
from clinbench.coding.text import fold
from clinbench.errors import UserError

SUPERVISION = {"held_out": 0.1, "languages": ["es", "fr"], "noise": {}, "seed": 0}


@pytest.fixture
def shipped(monkeypatch, hierarchy, lexicon, vocabulary, tutor):
    monkeypatch.setattr(languages, "load_hierarchy", lambda: hierarchy)
    monkeypatch.setattr(languages, "load_terms", lambda known: lexicon)
    monkeypatch.setattr(languages, "load_vocabulary", lambda: vocabulary)
    monkeypatch.setattr(languages, "LexiconTutor", lambda *parts: tutor)
    return table_frame([(code, title, "en", "t") for code, title in hierarchy.titles.items()])


def test_queries_are_of_categories_that_data_set_a_lacks(shipped, hierarchy):
    frame, info = languages.load({}, {"queries": 40, "supervision": SUPERVISION}, shipped)
    out = held_out({code[:3] for code in hierarchy.titles}, 0.1)
    assert set(frame["doc"]) <= out and (frame["code"].str.slice(0, 3) == frame["doc"]).all()
    assert set(frame["split"]) == {"test"} and set(frame["lang"]) == {"es", "fr"}
    assert all(30 <= n <= 40 for n in info["queries"].values()) and info["categories"] > 10
    for _, rows in frame.group_by("lang"):
        folded = [fold(query) for query in rows["query"]]
        assert len(set(folded)) == len(folded)
    again, _ = languages.load({}, {"queries": 40, "supervision": SUPERVISION}, shipped)
    assert frame.equals(again)


def test_nothing_to_ask_for_is_refused(shipped):
    with pytest.raises(UserError, match="coding.supervision.held_out"):
        languages.load({}, {"supervision": SUPERVISION | {"held_out": 0}}, shipped)


class Tutor:
    """Says the same for two codes and something of its own for a third."""

    meanings = {"A01": "fever", "B01": "fever", "C01": "mass"}

    def query(self, meaning, lang, rng):
        return meaning, meaning, "term"


def test_a_text_for_two_codes_is_left_out():
    assert languages.compose(Tutor(), Tutor.meanings, "en", 10, 0) == ([("mass", "C01")], 1)
