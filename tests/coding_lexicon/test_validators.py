"""Every rule of coding.md 1.1 refuses with its own reason, and the record is checked when read."""

import copy
import json

import pytest

from clinbench.coding.supervision.examples import read_examples, write_examples
from clinbench.coding.supervision.languages import LanguageGuess
from clinbench.coding.supervision.leaks import leak_report
from clinbench.coding.supervision.validators import NEAR, REASONS, Validators, cosine
from clinbench.coding.text import fold
from clinbench.errors import UserError

CODES = {"I10", "I11", "I11.9", "J45", "J18"}
EXAMPLE = {
    "id": "A-es-00000",
    "lang": "es",
    "code": "I10",
    "query": "tensión alta mantenida",
    "positive": "hipertensión arterial",
    "positive_kind": "synonym",
    "hard_negatives": [{"code": "I11", "text": "cardiopatía hipertensiva"}],
    "soft_negatives": [{"code": "J45", "text": "asma"}],
    "meta": {"generator": "lexicon", "prompt_id": "term", "seed": 0},
}


def changed(**changes):
    return copy.deepcopy(EXAMPLE) | changes


def negative(code, text="otra cosa"):
    return [{"code": code, "text": text}]


def test_a_right_example_is_accepted():
    validators = Validators(CODES)
    assert validators.accept(changed())
    assert validators.refused == dict.fromkeys(REASONS, 0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"code": "I12"}, "unknown_code"),
        ({"hard_negatives": negative("I99")}, "unknown_code"),
        ({"hard_negatives": negative("I10")}, "own_code"),
        ({"soft_negatives": negative("I10")}, "own_code"),
        ({"hard_negatives": negative("J18")}, "hard_chapter"),
        ({"soft_negatives": negative("I11.9")}, "soft_chapter"),
        ({"positive": "TENSION  alta mantenida"}, "same_text"),
        ({"hard_negatives": negative("I11", "Tensión alta mantenida")}, "same_text"),
        ({"soft_negatives": negative("J45", "hipertension arterial")}, "same_text"),
        ({"query": "tensión alta I11.9"}, "code_in_text"),
        ({"query": "tensión alta i119"}, "code_in_text"),
        ({"query": "TA"}, "length"),
        ({"positive": "x" * 201}, "length"),
        ({"query": "sustained high blood pressure of the arteries"}, "language"),
    ],
)
def test_each_rule_has_its_reason(changes, reason):
    guess = LanguageGuess(
        {
            "es": ["tensión alta mantenida de las arterias", "hipertensión arterial grave"],
            "en": ["sustained high blood pressure of the arteries", "severe hypertension"],
        }
    )
    validators = Validators(CODES, guess)
    assert not validators.accept(changed(**changes))
    assert {name for name, count in validators.refused.items() if count} == {reason}


def test_repeats_are_refused():
    validators = Validators(CODES)
    long = (
        "hipertensión arterial de larga evolución con mal control y repercusión en el corazón y en el riñón"
    )
    assert validators.accept(changed(query=long))
    assert validators.reason(changed(query=long.upper(), code="I11.9")) == "duplicate"
    assert (
        validators.reason(changed(query=long.replace("larga evolución", "larga evolucion y")))
        == "near_duplicate"
    )
    assert validators.reason(changed(query=long, lang="ca")) is None
    assert validators.reason(changed(query=long + " y", code="I11.9")) is None


def test_cosine_by_hand():
    from collections import Counter

    assert cosine(Counter("aab"), Counter("ab")) == pytest.approx(3 / (5**0.5 * 2**0.5))
    assert cosine(Counter(), Counter("a")) == 0
    assert NEAR == 0.95


def test_strict_leak_guard_refuses_and_the_report_counts():
    mentions = {fold("Tensión ALTA mantenida"), fold("asma")}
    assert Validators(CODES, leaks=mentions).reason(changed()) == "leak"
    report = leak_report([changed(), changed(query="otra")], {"dev": mentions, "none": set()})
    assert report["dev"] == {"queries": 1, "share": 0.5, "mentions": 1, "mention_share": 0.5}
    assert report["none"] == {"queries": 0, "share": 0.0, "mentions": 0, "mention_share": None}


def test_examples_survive_the_file(tmp_path):
    write_examples(tmp_path / "A.jsonl", [EXAMPLE])
    assert read_examples(tmp_path / "A.jsonl") == [EXAMPLE]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not valid JSON"),
        (json.dumps({key: EXAMPLE[key] for key in EXAMPLE if key != "query"}), "'query' is a required"),
        (json.dumps(EXAMPLE | {"lang": "de"}), "'de' is not one of"),
    ],
)
def test_lines_that_are_no_examples_are_named(tmp_path, line, words):
    (tmp_path / "A.jsonl").write_text(f"{json.dumps(EXAMPLE)}\n{line}\n")
    with pytest.raises(UserError) as caught:
        read_examples(tmp_path / "A.jsonl")
    assert "line 2" in str(caught.value) and words in str(caught.value)
    with pytest.raises(UserError, match="no such file"):
        read_examples(tmp_path / "B.jsonl")


def test_the_lexicons_own_languages_are_told_apart(tutor):
    clear = {
        "en": "severe heart failure with bleeding of the left knee",
        "es": "herida de la rodilla izquierda con pérdida de conocimiento",
        "ca": "ferida del genoll esquerre amb pèrdua de coneixement",
        "it": "ferita del ginocchio sinistro con perdita di coscienza",
        "pt": "ferida do joelho esquerdo com perda de consciência",
        "fr": "plaie du genou gauche avec perte de connaissance",
    }
    for lang, text in clear.items():
        scores = tutor.languages.scores(text)
        assert max(scores, key=scores.get) == lang
        assert not tutor.languages.contradicts(text, lang)
    assert tutor.languages.contradicts(clear["fr"], "es")
    assert not any(tutor.languages.contradicts("diabetes", lang) for lang in ("en", "es", "pt"))
