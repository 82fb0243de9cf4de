"""Modifiers, sites, heads and title wordings: the shipped ones are right, mistakes are named."""

import shutil

import pytest

from clinbench.coding.lexicon.tsvfile import FOLDER, LANGS
from clinbench.coding.lexicon.vocabulary import KINDS, load_vocabulary
from clinbench.errors import UserError

FILES = ("modifiers.tsv", "sites.tsv", "heads.tsv", "titles.tsv")


def test_every_kind_has_modifiers_in_six_languages(vocabulary):
    assert set(vocabulary.kinds.values()) == set(KINDS)
    for by_lang in (*vocabulary.modifiers.values(), *vocabulary.sites.values()):
        assert set(by_lang) == set(LANGS)


def test_everything_is_reached_by_a_title(vocabulary):
    meant = {wording.means for choices in vocabulary.wordings.values() for wording in choices}
    # Kept for titles that only other editions write.
    assert {*vocabulary.heads, *vocabulary.sites} <= meant


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("modifiers.tsv", "right\tlaterality\tes", "right\tseverity\tes", ["kind 'severity'"]),
        ("modifiers.tsv", "\tderecho\tderecha\t", "\tderecho\t-\t", ["fill all four forms"]),
        (
            "modifiers.tsv",
            "right\tlaterality\tfr",
            "right\tlaterality\tes",
            ["stands twice in 'es'", "right has"],
        ),
        ("sites.tsv", "\tmuñeca\tde la muñeca", "\tmuñeca\t-", ["genitive"]),
        ("sites.tsv", "wrist\twhole\tes\tfs", "wrist\twhole\tes\tf", ["agreement 'f'"]),
        ("heads.tsv", "contusion\tes\tpreferred", "contusion\tes\tsynonym", ["contusion has 0 preferred"]),
        ("titles.tsv", "right\tright\t-", "right\trihgt\t-", ["'rihgt' is no modifier, site or head"]),
        ("titles.tsv", "left\tleft\t-", "right\tleft\t-", ["'right' stands already"]),
    ],
)
def test_mistakes_are_named(tmp_path, file, old, new, words):
    for name in FILES:
        shutil.copy(FOLDER / name, tmp_path / name)
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_vocabulary(tmp_path)
    for word in [file, *words]:
        assert word in str(caught.value)
