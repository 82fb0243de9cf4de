"""Subsets of the test mentions, and documents put together from mentions."""

from clinbench.coding.documents import document_codes, first_answers
from clinbench.coding.frames import queries_frame
from clinbench.coding.subsets import subsets

TRAINING = queries_frame(
    [("1", "train", "Úlcera", "K25", "d1", "es"), ("2", "val", "tos", "R05", "d2", "es")]
)
TEST = queries_frame(
    [
        ("3", "test", "ulcera", "K25", "d1", "es"),
        ("4", "test", "ÚLCERA", "K25", "d3", "es"),
        ("5", "test", "tos", "J40", "d3", "es"),
        ("6", "test", "ITU", "N39.0+R05", "d2", "es"),
    ],
    ["1", "2", "1", ""],
)
GOLDS = [("K25",), ("K25",), ("J40",), ("N39.0", "R05")]


def test_subsets_of_a_worked_example():
    found = {
        name: [at for at, chosen in enumerate(mask) if chosen]
        for name, mask in subsets(TEST, TRAINING, GOLDS, [("K25",), ("R05",)], "cm").items()
    }
    assert found == {
        "all": [0, 1, 2, 3],
        "seen_string": [0, 1, 2],
        "unseen_string": [3],
        "seen_code": [0, 1, 3],
        "unseen_code": [2],
        "seen_document": [0, 3],
        "unseen_document": [1, 2],
        "continuous": [0, 2],
        "discontinuous": [1],
        "unique": [0, 2, 3],
        "chapter:10": [2],
        "chapter:11": [0, 1],
        "chapter:14": [3],
    }


def test_chapters_are_those_of_the_edition():
    frame = queries_frame([("1", "test", "tumor", "D49", "d", "es")])
    assert "chapter:2" in subsets(frame, TRAINING, [("D49",)], [], "cm")
    assert not [name for name in subsets(frame, TRAINING, [("D49",)], [], "who") if ":" in name]


def test_answers_to_mentions_become_a_documents_list():
    rankings = [[("R05", 1.0)], [("B00", 1.0)], [], [("A00", 1.0)], [("B00", 1.0)]]
    golds = [("N39.0", "R05"), ("C00",), ("C00",), ("A00",), ("B00",)]
    tops = first_answers(rankings, golds)
    assert tops == ["N39.0", "B00", None, "A00", "B00"]
    assert document_codes(["d1", "d2", "d2", "d2", "d2"], tops) == {"d1": ["N39.0"], "d2": ["B00", "A00"]}


def test_languages_are_subsets_where_there_are_several():
    rows = [(str(at), "test", "tos", "R05", "d", lang) for at, lang in enumerate(("es", "ca", "es"))]
    found = subsets(queries_frame(rows), TRAINING, [("R05",)] * 3, [("K25",), ("R05",)], "cm")
    assert [found["lang:es"].tolist(), found["lang:ca"].tolist()] == [
        [True, False, True],
        [False, True, False],
    ]
