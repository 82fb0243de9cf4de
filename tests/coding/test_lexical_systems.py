"""Dictionary, dictionary + BM25, character TF-IDF and fusion, against worked examples and literal versions."""

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from rank_bm25 import BM25Okapi

from clinbench import plugins
from clinbench.coding.context import Context
from clinbench.coding.frames import TABLE, queries_frame, table_frame
from clinbench.coding.mentions import annotations, as_texts, shares, usable
from clinbench.coding.systems import char_tfidf, dictionary, dictionary_bm25, fusion
from clinbench.coding.text import fold, tokens
from clinbench.errors import UserError

# "fiebre" twice R50 and once R51; "dolor" once each, so a tie.
ANNOTATED = [
    ("Fiebre", "R50"), ("fiebre", "R50"), ("FIEBRE", "R51"), ("dolor", "R52"), ("dolor", "R10"),
    ("dolor de riñón", "N23"), ("fractura costal", "S22.3"), ("úlcera gástrica", "K25"),
]  # fmt: skip
DESCRIBED = table_frame(
    [
        ("K25", "Úlcera gástrica", "es", "who"),
        ("K26", "Úlcera duodenal", "es", "who"),
        ("N23", "Cólico renal", "es", "who"),
        ("R50", "Fiebre de otro origen", "es", "who"),
    ]
)


def mentions(pairs=ANNOTATED):
    rows = [(f"q{at}", "train", query, code, f"d{at}", "es") for at, (query, code) in enumerate(pairs)]
    return queries_frame(rows)


def codes(rankings):
    return [[code for code, _ in ranking] for ranking in rankings]


def test_the_dictionary_answers_known_strings_by_share_and_ties_by_code():
    found = dictionary.search(["fiebre", "Dolor", "tos"], DESCRIBED, {}, Context(mentions=mentions()), 10)
    assert found[0] == [("R50", pytest.approx(2 / 3)), ("R51", pytest.approx(1 / 3))]
    assert found[1] == [("R10", 0.5), ("R52", 0.5)]
    assert found[2] == []
    assert codes(dictionary.search(["dolor"], DESCRIBED, {}, Context(mentions=mentions()), 1)) == [["R10"]]


@pytest.mark.parametrize("system", [dictionary, dictionary_bm25])
def test_without_mentions_there_is_no_dictionary(system):
    with pytest.raises(UserError, match="train_on"):
        system.search(["x"], DESCRIBED, {}, Context(), 1)


def literal_dictionary_bm25(query, pairs, neighbours):
    counted = defaultdict(Counter)
    for text, code in pairs:
        counted[fold(text)][code] += 1
    strings = list(counted)
    scores = BM25Okapi([tokens(text) for text in strings]).get_scores(tokens(query))
    near = sorted((at for at in range(len(strings)) if scores[at] > 0), key=lambda at: -scores[at])
    keyed = [(code, (3, 0, n / counted[fold(query)].total())) for code, n in counted[fold(query)].items()]
    for at in near[:neighbours]:
        total = counted[strings[at]].total()
        keyed += [(code, (2, scores[at], n / total)) for code, n in counted[strings[at]].items()]
    overall = Counter(code for _, code in pairs)
    keyed += [(code, (1, 0, n)) for code, n in overall.items()]
    best = {}
    for code, key in keyed:
        best[code] = max(key, best.get(code, key))
    return sorted(best, key=lambda code: ([-part for part in best[code]], code))


@pytest.mark.parametrize("seed", range(4))
def test_dictionary_then_bm25_then_frequency_equals_a_literal_version(seed):
    rng = np.random.default_rng(seed)
    words = [f"w{at}" for at in range(12)]
    pairs = [
        (" ".join(rng.choice(words, size=rng.integers(1, 4))), f"A{rng.integers(0, 30):02d}")
        for _ in range(60)
    ]
    queries = [text for text, _ in pairs[:10]] + ["w1 w2 w3", "w11", "unknown", "w0 unknown"]
    found = dictionary_bm25.search(queries, DESCRIBED, {}, Context(mentions=mentions(pairs)), 100)
    for query, ranking in zip(queries, found, strict=True):
        assert [code for code, _ in ranking] == literal_dictionary_bm25(query, pairs, 50)
        scores = [score for _, score in ranking]
        assert scores == sorted(scores, reverse=True) and scores[0] == 1.0


def test_what_ties_in_everything_has_one_score():
    found = dictionary_bm25.search(["dolor"], DESCRIBED, {}, Context(mentions=mentions()), 3)[0]
    assert found[:2] == [("R10", 1.0), ("R52", 1.0)]
    assert found[2] == ("N23", 0.5)  # "dolor de riñón" is the one neighbour
    # Nothing shared: the most frequent code of all leads.
    assert dictionary_bm25.search(["???"], DESCRIBED, {}, Context(mentions=mentions()), 1) == [[("R50", 1.0)]]


def test_mentions_without_a_word_still_answer_by_string_and_frequency():
    pairs = [("++", "R50"), ("---", "R51"), ("---", "R51")]
    found = dictionary_bm25.search(["++", "tos"], DESCRIBED, {}, Context(mentions=mentions(pairs)), 5)
    assert found == [[("R50", 1.0), ("R51", 0.5)], [("R51", 1.0), ("R50", 0.5)]]


def literal_char_tfidf(query, voters, sharpness):
    """Cosine of sublinear TF-IDF over padded 2- to 5-grams, one text at a time."""

    def grams(text):
        padded = [f" {word} " for word in text.split()]
        return Counter(
            word[at : at + size]
            for word in padded
            for size in range(2, 6)
            for at in range(len(word) - size + 1)
        )

    texts = list(voters)
    counts = [grams(text) for text in texts]
    frequency = Counter(gram for count in counts for gram in count)

    def vector(count):
        weights = {
            gram: (1 + np.log(n)) * (np.log((1 + len(texts)) / (1 + frequency[gram])) + 1)
            for gram, n in count.items()
            if gram in frequency
        }
        norm = np.sqrt(sum(weight**2 for weight in weights.values()))
        return {gram: weight / norm for gram, weight in weights.items()}

    ours = vector(grams(fold(query)))
    votes = defaultdict(float)
    for text, count in zip(texts, counts, strict=True):
        cosine = sum(weight * ours.get(gram, 0) for gram, weight in vector(count).items())
        for code, n in voters[text].items():
            votes[code] += (1 + np.log(n)) * cosine**sharpness
    found = {code: round(vote ** (1 / sharpness), 12) for code, vote in votes.items() if vote > 0}
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


@pytest.mark.parametrize("sharpness", [1.0, 16.0])
def test_character_tfidf_equals_a_literal_version(sharpness):
    voters = defaultdict(dict)
    for text, code in ANNOTATED:
        voters[fold(text)][code] = voters[fold(text)].get(code, 0) + 1
    for code, text in DESCRIBED.select("code", "text").iter_rows():
        voters[fold(text)].setdefault(code, 1)
    queries = ["fiebres altas", "ulcera", "fractura de costilla", "Dolor", "renal"]
    found = char_tfidf.search(queries, DESCRIBED, {"sharpness": sharpness}, Context(mentions=mentions()), 50)
    for query, ranking in zip(queries, found, strict=True):
        expected = literal_char_tfidf(query, voters, sharpness)
        assert [code for code, _ in ranking] == [code for code, _ in expected]
        np.testing.assert_allclose([s for _, s in ranking], [s for _, s in expected], atol=1e-9)


def test_character_tfidf_ties_by_code_and_answers_only_what_shares_an_ngram():
    found = char_tfidf.search(["dolor", "xyz", "qqq"], DESCRIBED, {}, Context(mentions=mentions()), 2)
    assert codes(found)[0] == ["R10", "R52"]
    assert found[0][0][1] == found[0][1][1]
    assert found[1:] == [[], []]
    alone = char_tfidf.search(["ulcera"], DESCRIBED, {}, Context(), 2)
    assert set(codes(alone)[0]) == {"K25", "K26"}


def test_a_far_neighbour_is_still_an_answer():
    # The cosine to the power of 16 is far below the rounding of scores.
    table = table_frame([("A00", "abcdefghijklmnopqrstuvwxyz ab", "es", "s"), ("B00", "zzz", "es", "s")])
    assert codes(char_tfidf.search(["ab0123456789 9876543210"], table, {}, Context(), 5)) == [["A00"]]


def test_only_the_nearest_texts_vote_but_all_that_tie_with_the_last():
    table = table_frame(
        [(f"A0{at}", "renal colic", "es", "s") for at in range(3)] + [("B00", "renal", "es", "s")]
    )
    found = char_tfidf.search(["renal colic"], table, {"neighbours": 1}, Context(), 9)
    assert codes(found) == [["A00", "A01", "A02"]]


def test_wrong_ngrams_are_named():
    with pytest.raises(UserError, match="shortest is longer"):
        char_tfidf.search(["x"], DESCRIBED, {"ngrams": [5, 2]}, Context(), 1)
    with pytest.raises(UserError, match="no text has an n-gram"):
        char_tfidf.search(["x"], table_frame([("A00", " ", "es", "s")]), {}, Context(), 1)


def test_fusion_adds_reciprocal_ranks():
    runs = {
        "one": [[("A00", 9.0), ("B00", 5.0)], []],
        "two": [[("B00", 0.3), ("C00", 0.2), ("A00", 0.1)], []],
    }
    found = fusion.search(["x", "y"], DESCRIBED, {}, Context(runs=runs), 10)
    expected = {"A00": 1 / 61 + 1 / 63, "B00": 1 / 62 + 1 / 61, "C00": 1 / 62}
    assert codes(found) == [["B00", "A00", "C00"], []]
    assert dict(found[0]) == pytest.approx(expected, abs=1e-12)
    weighted = fusion.search(["x", "y"], DESCRIBED, {"weights": [5, 1]}, Context(runs=runs), 1)
    assert codes(weighted) == [["A00"], []]


def test_fusion_gives_ties_one_rank_so_that_the_code_does_not_win():
    runs = {"one": [[("A00", 1.0), ("Z00", 1.0)]], "two": [[("A00", 7.0), ("Z00", 7.0)]]}
    found = fusion.search(["x"], DESCRIBED, {"constant": 0}, Context(runs=runs), 10)[0]
    assert found == [("A00", pytest.approx(2 / 1.5)), ("Z00", pytest.approx(2 / 1.5))]
    assert found[0][1] == found[1][1]


def test_fusion_names_what_does_not_fit():
    runs = {"one": [[]], "two": [[], []]}
    with pytest.raises(UserError, match="each of 2 queries: one"):
        fusion.search(["x", "y"], DESCRIBED, {}, Context(runs=runs), 1)
    with pytest.raises(UserError, match=r"2 system.s. but 3 weight"):
        fusion.search(["x"], DESCRIBED, {"weights": [1, 1, 1]}, Context(runs=runs), 1)
    with pytest.raises(UserError, match="0 system"):
        fusion.search(["x"], DESCRIBED, {}, Context(), 1)


def test_mentions_become_texts_once_each_and_odd_golds_are_no_teachers():
    frame = mentions([("tos", "R05"), ("tos", "R05"), ("Tos", "R05"), ("tos", "J40"), ("ITU", "N39.0+N30")])
    assert usable(frame, {"R05", "N39.0"})["code"].to_list() == ["R05"] * 3
    texts = as_texts(usable(frame, {"R05", "J40"}))
    assert tuple(texts.columns) == TABLE
    assert texts.rows() == [
        ("R05", "tos", "es", "mentions"),
        ("R05", "Tos", "es", "mentions"),
        ("J40", "tos", "es", "mentions"),
    ]
    assert annotations(frame)["tos"] == {"R05": 3, "J40": 1}
    assert shares(Counter(B=1, A=1, C=2)) == [("C", 0.5), ("A", 0.25), ("B", 0.25)]
    assert pl.concat([DESCRIBED, texts]).height == 7


def test_plug_ins_say_what_they_need():
    needs = {
        name: plugins.declared("coding.systems", name, "NEEDS") for name in plugins.names("coding.systems")
    }
    assert {name for name, what in needs.items() if "mentions" in what} == {
        "dictionary",
        "dictionary_bm25",
        "char_tfidf",
    }
    assert needs["fusion"] == ("systems",)


def test_fusion_by_scores_sums_them_and_takes_negative_ones_for_nothing():
    runs = {
        "one": [[("A00", 0.9), ("A01", 0.5)], [("A00", 0.2)]],
        "two": [[("A01", 0.6), ("A00", 0.1), ("A02", -0.5)], []],
    }
    options = {"by": "scores", "weights": [1.0, 2.0]}
    found = fusion.search(["x", "y"], DESCRIBED, options, Context(runs=runs), 10)
    assert found[0] == [("A01", pytest.approx(1.7)), ("A00", pytest.approx(1.1)), ("A02", 0.0)]
    assert found[1] == [("A00", 0.2)]
