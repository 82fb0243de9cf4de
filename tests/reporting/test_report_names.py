"""Display names, and numbers as text."""

import pytest

from clinbench.reporting.cells import interval, number
from clinbench.reporting.names import (
    canonical,
    identity,
    place,
    shown_level,
    shown_model,
    shown_row,
    shown_system,
)
from clinbench.reporting.wide import mark


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("bce", "BCE"), ("bce_scr", "BCE+λSCR"), ("cbce_scr", "CBCE+λSCR"), ("csce_scr", "CSCE+λSCR"),
        ("bm25", "BM25"), ("minilm", "MiniLM"), ("cross_encoder", "Cross-encoder"), ("BCE+λSCR", "BCE+λSCR"),
        ("cbce", "CBCE"), ("csce", "CSCE"), ("gbt", "GBT"), ("my own_Row", "my own_Row"),
        ("lambda_bm25", "lambda_bm25"), ("", ""),
    ],
)  # fmt: skip
def test_rows(name, shown):
    assert shown_system(name) == shown


@pytest.mark.parametrize(
    ("system", "model", "shown"),
    [
        ("bm25", "", "BM25"),
        ("minilm", "minilm", "MiniLM"),
        ("dense", "sentence-transformers/all-MiniLM-L6-v2", "MiniLM"),
        ("bi_encoder", "minilm", "Bi-encoder (MiniLM)"),
        ("mine", "my_encoder", "mine (my_encoder)"),
    ],
)
def test_rows_with_encoders(system, model, shown):
    assert shown_row(system, model) == shown


def test_models_and_places():
    assert (shown_model("mortality_lstm"), shown_model("gru_d")) == ("LSTM", "gru_d")
    mixed = ["own", "gbt", "csce_scr", "csce", "cbce_scr", "cbce", "bce_scr", "bce"]
    assert sorted(mixed, key=place) == mixed[::-1] and place("own") == place("x")
    assert canonical("PlanTL-GOB-ES/bsc-bio-ehr-es") == "bsc_bio_ehr_es"
    assert identity("dense", "") == ("dense", "")


def test_levels_are_words_or_shares_of_positives():
    shown = [shown_level(level) for level in ("", "exact", "all", "0.05", "0.001", "mine")]
    assert shown == ["", "Exact code", "All positives", "5 % positive", "0.1 % positive", "mine"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.8537, ".854"), (0, ".000"), (1, "1.000"), (0.99996, "1.000"), (-0.0123, "−.012"),
        (-0.00001, ".000"), (12.5, "12.500"), (None, "–"), (float("nan"), "–"), (float("inf"), "–"),
    ],
)  # fmt: skip
def test_numbers(value, text):
    assert number(value) == text


def test_interval_and_footnote_letters():
    assert interval(0.1, 1.0) == "[.100, 1.000]" and interval(None, 1.0) == ""
    notes = {}
    letters = [mark(notes, str(index)) for index in range(28)]
    assert letters[:2] == ["a", "b"] and letters[25:] == ["z", "aa", "bb"] and mark(notes, "1") == "b"
