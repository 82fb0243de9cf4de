"""Data set A from the shipped lexicon: even, varied, valid, the same for the same seed."""

from collections import Counter, defaultdict
from itertools import islice

import pytest
import yaml
from tests.paths import ROOT

from clinbench.coding.codes import level
from clinbench.coding.lexicon.tsvfile import FOLDER, LANGS
from clinbench.coding.supervision.examples import read_examples, write_examples
from clinbench.coding.supervision.turns import MAX_SHARE, Turns, held_out
from clinbench.coding.supervision.validators import Validators
from clinbench.coding.text import fold
from clinbench.errors import UserError

COUNT = 605
PART = 6000  # examples enough to reach most codes that the whole reaches often
SIZE = 19502  # of data set A
COMPLETE = len(list((FOLDER / "terms").glob("[0-9][0-9].tsv"))) >= 21


@pytest.fixture(scope="module")
def made(tutor):
    return tutor.make(COUNT, LANGS, seed=7)


def test_examples_are_spread_evenly_and_valid(made, tutor, tmp_path):
    examples, report = made
    assert list(report["by_language"].values()) == [101, 101, 101, 101, 101, 100]
    assert len({example["id"] for example in examples}) == COUNT == report["examples"]
    again = Validators(tutor.hierarchy.titles, tutor.languages)
    assert all(again.accept(example) for example in examples)
    assert {len(example["hard_negatives"]) for example in examples} == {3}
    assert {len(example["soft_negatives"]) for example in examples} == {1}
    write_examples(tmp_path / "A.jsonl", examples)
    assert read_examples(tmp_path / "A.jsonl") == examples


def test_the_seed_decides(made, tutor):
    examples, report = tutor.make(COUNT, LANGS, seed=7)
    assert (examples, report) == made
    assert tutor.make(60, ("es",), seed=8)[0] != tutor.make(60, ("es",), seed=9)[0]


def test_noise_and_both_kinds_of_positive_are_there(made, tutor):
    examples, report = made
    assert set(report["noise"]) >= {"abbreviation", "word_order", "telegraphic", "accents", "typos", "case"}
    assert report["positives"]["official"] > 0.2 * COUNT
    for example in examples:
        if example["positive_kind"] == "official":
            assert example["positive"] == tutor.hierarchy.titles[example["code"]]
    assert sum(report["hard_negatives"].values()) == 3 * COUNT
    assert report["hard_negatives"]["one_modifier"] > COUNT / 2


def test_strict_drops_and_held_out_categories_stay_away(made, tutor):
    examples, _ = made
    leaks = {fold(example["query"]) for example in examples[:200]}
    reported, report = tutor.make(200, ("en",), 7, {"dev": leaks})
    assert report["leaks"]["dev"]["queries"] > 0
    strict, report = tutor.make(200, ("en",), 7, {"dev": leaks}, strict=True)
    assert report["leaks"]["dev"]["queries"] == 0 < report["refused"]["leak"]
    assert not {fold(example["query"]) for example in strict} & leaks
    without = held_out({code[:3] for code in tutor.meanings}, 0.5)
    kept, report = tutor.make(200, ("it",), 7, without=without)
    named = {
        item["code"][:3] for example in kept for item in example["hard_negatives"] + example["soft_negatives"]
    }
    assert not (named | {example["code"][:3] for example in kept}) & without
    assert set(report["held_out"]) == without


def test_held_out_is_a_share_by_category():
    categories = [f"X{number:03d}" for number in range(2000)]
    out = held_out(categories, 0.1)
    assert 150 < len(out) < 250
    assert held_out(categories[:500], 0.1) == out & set(categories[:500])
    assert held_out(categories, 0.0) == set()


def test_more_than_the_lexicon_can_say_is_refused(tutor):
    few = {code: tutor.meanings[code] for code in list(tutor.meanings)[:1]}
    whole, tutor.meanings = tutor.meanings, few
    try:
        with pytest.raises(UserError, match="The lexicon yields .* examples in 'es'"):
            tutor.make(2000, ("es",))
    finally:
        tutor.meanings = whole


def test_turns_reach_many_codes_and_no_code_has_too_many(tutor):
    turns, uses = Turns(tutor.meanings, SIZE, seed=0), Counter()
    for _ in LANGS:
        for code in islice(turns.codes(), SIZE // len(LANGS)):
            turns.used(code)
            uses[code] += 1
    assert len(uses) >= 2500
    assert max(uses.values()) <= MAX_SHARE * SIZE
    if COMPLETE:
        assert {level(code, "chapter") for code in uses} == {str(number) for number in range(1, 22)}


def test_a_built_data_set_reaches_many_codes_and_every_chapter(tutor):
    settings = yaml.safe_load((ROOT / "config.yaml").read_text())["coding"]["supervision"]
    assert (settings["examples"], settings["held_out"]) == (SIZE, 0.1)
    assert (settings["hard_negatives"], settings["soft_negatives"]) == (tutor.hard, tutor.soft)
    without = held_out({code[:3] for code in tutor.hierarchy.titles}, settings["held_out"])
    noise, tutor.noise = tutor.noise, settings["noise"]
    try:
        examples, _ = tutor.make(PART, settings["languages"], settings["seed"], without=without)
    finally:
        tutor.noise = noise
    uses = Counter(example["code"] for example in examples)
    assert len(examples) == PART and len(uses) >= 2500
    assert {level(code, "chapter") for code in uses} == {str(number) for number in range(1, 22)}
    assert max(uses.values()) <= MAX_SHARE * PART
    assert without and not {code[:3] for code in uses} & without


def test_turns_stop_when_nothing_works():
    turns = Turns(["I10", "I11", "I11.9"], 100, seed=0)
    for code in (seen := turns.codes()):
        turns.failed(code)
    assert next(seen, None) is None
    used = Counter()
    for code in turns.codes():  # at most one of a hundred for each code
        turns.used(code)
        used[code] += 1
    assert used == {"I10": 1, "I11": 1, "I11.9": 1}


def test_no_two_codes_are_said_in_the_same_words(tutor):
    said = defaultdict(set)
    for code, meaning in tutor.meanings.items():
        for lang in LANGS:
            for term in tutor.composer.terms(meaning, lang):
                said[lang, fold(term.text), meaning.modifiers].add(code)
    assert len(said) > 50_000
    assert {key: codes for key, codes in said.items() if len(codes) > 1} == {}
