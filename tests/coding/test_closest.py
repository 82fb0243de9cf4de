import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from clinbench.coding.closest import Closest
from clinbench.coding.frames import TABLE
from clinbench.coding.text import fold
from clinbench.errors import UserError

ROWS = [
    ("A00", "Cólera"),
    ("A00", "colera"),
    ("A00", "diarrea por vibrio"),
    ("I10", "hipertensión arterial"),
    ("I10", "tensión alta"),
    ("I10", "HTA"),
    ("R05", "tos"),
]


def table(rows=ROWS):
    rows = [(code, text, "es", "made") for code, text in rows]
    return pl.DataFrame(rows, schema=dict.fromkeys(TABLE, pl.String), orient="row")


def test_equal_to_dense_cosines_over_all_texts():
    closest = Closest(table())
    distinct = list(dict.fromkeys((code, fold(text)) for code, text in ROWS))
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
    vectors = vectorizer.fit_transform([text for _, text in distinct]).toarray()
    for mention in ("tension arterial alta", "Vibrio", "HTA mal controlada", "coléra"):
        cosines = vectors @ vectorizer.transform([fold(mention)]).toarray()[0]
        for code in ("A00", "I10", "R05"):
            own = [at for at, (of, _) in enumerate(distinct) if of == code]
            best = distinct[own[int(np.argmax(cosines[own]))]][1]
            assert fold(closest.of(mention, code)) == best


def test_a_mention_may_leave_itself_out():
    closest = Closest(table())
    assert closest.of("COLERA", "A00") == "Cólera"
    assert closest.of("COLERA", "A00", others=True) == "diarrea por vibrio"
    assert closest.of("tos", "R05", others=True) is None and closest.of("tos", "Z99") is None


def test_texts_that_tie_are_taken_in_order():
    assert Closest(table()).of("xyz", "I10") == "hipertensión arterial"
    assert Closest(table([("R05", "Tos"), ("R05", "tos seca"), ("R05", "tos")])).of("xyz", "R05") == "Tos"


def test_texts_without_letters_are_refused():
    with pytest.raises(UserError, match="no letters"):
        Closest(table([("A00", " ")]))
