"""The shipped lexicon, read once."""

import pytest
from tests.coding_lexicon.stub import Stub

from clinbench.coding.lexicon.hierarchy import load_hierarchy
from clinbench.coding.lexicon.terms import load_terms
from clinbench.coding.lexicon.vocabulary import load_vocabulary
from clinbench.coding.supervision.tutors.lexicon import LexiconTutor

NOISE = {
    "abbreviations": 0.3,
    "word_order": 0.3,
    "telegraphic": 0.2,
    "accents": 0.2,
    "typos": 0.1,
    "case": 0.1,
}


@pytest.fixture(scope="session")
def hierarchy():
    return load_hierarchy()


@pytest.fixture(scope="session")
def lexicon(hierarchy):
    return load_terms(known=hierarchy.titles)


@pytest.fixture(scope="session")
def vocabulary():
    return load_vocabulary()


@pytest.fixture(scope="session")
def tutor(lexicon, vocabulary, hierarchy):
    return LexiconTutor(lexicon, vocabulary, hierarchy, NOISE)


@pytest.fixture
def stub(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    made = Stub()
    yield made
    made.server.shutdown()
    made.server.server_close()
