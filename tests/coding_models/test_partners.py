"""Pairs of texts that mean one code."""

import polars as pl
import pytest

from clinbench.coding.context import Context
from clinbench.coding.frames import TABLE, queries_frame
from clinbench.coding.partners import partner_pairs, text_pairs
from clinbench.coding.systems import bi_encoder
from clinbench.errors import UserError

ROWS = [
    ("A00", "Cholera", "en", "cm"),
    ("A00", "Cólera", "es", "who"),
    ("A00", "colera", "es", "lexicon"),  # folds to another text of the code, not to the first
    ("A01", "Typhoid fever", "en", "cm"),
    ("A01", "TYPHOID  FEVER", "en", "who"),  # folds to the first: no pair
    ("A02", "Salmonella infection", "en", "cm"),
    ("A02", "Infección por Salmonella", "es", "who"),
]
MENTIONS = [("cólera", "A00"), ("Colera", "A00"), ("diarrea colérica", "A00"), ("tifus", "A01"), ("x", "Z99")]


@pytest.fixture
def codes():
    return pl.DataFrame(ROWS, schema=dict.fromkeys(TABLE, pl.String), orient="row")


def frame():
    return queries_frame(
        [(f"q{at}", "train", text, code, "d", "es") for at, (text, code) in enumerate(MENTIONS)]
    )


def test_texts_of_a_code_are_paired_with_its_first_in_random_order(codes):
    pairs = text_pairs(codes, seed=0)
    found = {
        (frozenset(both), code)
        for *both, code in zip(
            pairs.texts["anchor"], pairs.texts["positive"], pairs.identities["code"], strict=True
        )
    }
    assert found == {
        (frozenset(("Cholera", "Cólera")), "A00"),
        (frozenset(("Cholera", "colera")), "A00"),
        (frozenset(("Salmonella infection", "Infección por Salmonella")), "A02"),
    }
    starts = {text_pairs(codes, seed).texts["anchor"][0] for seed in range(20)}
    assert starts == {"Cholera", "Cólera"}
    with pytest.raises(UserError, match="7 texts of the codes table.*1 code"):
        text_pairs(codes.with_columns(code=pl.lit("A00")), seed=0)


def test_each_distinct_mention_meets_texts_and_other_mentions_of_its_code(codes):
    pairs = partner_pairs(frame(), codes, partners=200, seed=1)
    assert pairs.counts == {"not_in_table": 1, "without_negative": 0, "pairs": 600, "codes": 2}
    met = {}
    for anchor, positive in zip(pairs.texts["anchor"], pairs.texts["positive"], strict=True):
        met.setdefault(anchor, set()).add(positive)
    assert set(met) == {"Colera", "diarrea colérica", "tifus"}  # spellings of one mention are one
    assert met["Colera"] == {"Cholera", "Cólera", "colera", "diarrea colérica"}
    assert met["tifus"] == {"Typhoid fever", "TYPHOID  FEVER"}
    shares = [text in ("Cólera", "colera") for text in pairs.texts["positive"]]
    assert 0.3 < sum(shares) / 400 < 0.6  # its own language more often than another
    assert partner_pairs(frame(), codes, 3, 1) == partner_pairs(frame(), codes, 3, 1)


def test_the_bi_encoder_trains_on_texts_then_on_mentions_with_partners(
    tmp_path, train, table, encoder_folder
):
    doubled = pl.concat([table, table.with_columns(text="the " + pl.col("text"), lang=pl.lit("es"))])
    options = {"supervision": ["texts", "mentions"], "partners": 2, "epochs": 1, "batch_size": 8}
    summary = bi_encoder.fit(
        train, train[:0], doubled, None, options, Context(encoder=encoder_folder, seed=1), tmp_path / "model"
    )
    assert list(summary) == ["texts", "mentions"]
    assert (summary["texts"]["pairs"], summary["mentions"]["pairs"]) == (16, 64)
