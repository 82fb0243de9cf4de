"""One value a variable and time: which of several wins, and how many cells each switch changes.

A cell is a variable of a patient at one time (specification risk.md §1.9, quirks 2 and 7).
"""

from collections import Counter
from typing import NamedTuple

import polars as pl

from clinbench.cohorts.channels import NAMES
from clinbench.cohorts.mimic.cleaning import NUMERIC_CODES, clean, fio2_differs

KEY = ["subject_id", "charttime", "variable"]
SWITCHES = {"ties": "text", "specimens": "any", "fio2": "all"}  # as the reference has them
SCORES = {  # coma scale states from worst to best, by both charting systems
    "Glascow coma scale eye opening": (
        ("1 No Response", "None"),
        ("2 To pain", "To Pain"),
        ("3 To speech", "To Speech"),
        ("4 Spontaneously", "Spontaneously"),
    ),
    "Glascow coma scale motor response": (
        ("1 No Response", "No response"),
        ("2 Abnorm extensn", "Abnormal extension"),
        ("3 Abnorm flexion", "Abnormal Flexion"),
        ("4 Flex-withdraws", "Flex-withdraws"),
        ("5 Localizes Pain", "Localizes Pain"),
        ("6 Obeys Commands", "Obeys Commands"),
    ),
    "Glascow coma scale verbal response": (
        ("1 No Response", "1.0 ET/Trach", "No Response", "No Response-ETT"),
        ("2 Incomp sounds", "Incomprehensible sounds"),
        ("3 Inapprop words", "Inappropriate Words"),
        ("4 Confused", "Confused"),
        ("5 Oriented", "Oriented"),
    ),
}


class Resolved(NamedTuple):
    """Cells of some patients.

    Attributes:
        cells: sorted by ``KEY``, with ``number`` (null for the seven text variables) and ``text`` (null for
            the ten others).
        visits: distinct ``subject_id``, ``charttime`` and ``icustay_id`` of readable events, sorted; those of any
            fluid, so that the same stays make up the tasks whatever the switches are.
        unreadable: events dropped because their value is none, such as ERROR for a laboratory value.
    """

    cells: pl.DataFrame
    visits: pl.DataFrame
    unreadable: int


def resolve(events: pl.DataFrame, options: dict) -> Resolved:
    """Settle on one value for each cell.

    Args:
        events: with ``KEY``, ``icustay_id``, ``value``, ``valueuom``, ``label``, ``blood``.
        options: ``ties`` (``text``: of several values the last in the order of numbers for the cleaned
            variables and of text for the others, so 8 beats 13; ``number``: the greatest number or coma
            score), ``specimens`` (``any``, or ``blood`` without laboratory values of other fluids) and ``fio2``.
    """
    cleaned, unreadable = clean(events, options["fio2"])
    visits = cleaned.select("subject_id", "charttime", "icustay_id").unique()
    if options["specimens"] == "blood":
        cleaned = cleaned.filter("blood")
    rank = pl.coalesce("number", _score()) if options["ties"] == "number" else pl.col("number")
    ordered = cleaned.with_columns(rank.alias("rank")).sort(*KEY, "rank", "value", nulls_last=False)
    last = pl.any_horizontal(pl.col(name) != pl.col(name).shift(-1) for name in KEY).fill_null(True)
    text = pl.when(pl.col("number").is_null()).then("value")
    return Resolved(
        ordered.filter(last).select(*KEY, "number", text.alias("text")),
        visits.sort("subject_id", "charttime", "icustay_id"),
        unreadable,
    )


def count_changes(events: pl.DataFrame, options: dict) -> dict[str, Counter[str]]:
    """Count, for each switch that is not as in the reference, the cells it changes if set alone.

    Returns:
        Switch to ``cells`` (with another value, gone or new) and ``stays`` that have such a cell.
    """
    found = {}
    for switch, reference in SWITCHES.items():
        if options[switch] == reference:
            continue
        touched = events.join(_concerned(events, switch), on=KEY, how="semi")
        before = resolve(touched, SWITCHES).cells
        after = resolve(touched, SWITCHES | {switch: options[switch]}).cells
        both = before.join(after, on=KEY, how="full", coalesce=True, suffix="_after")
        differs = pl.any_horizontal(
            pl.col(name).ne_missing(pl.col(f"{name}_after")) for name in ("number", "text")
        )
        changed = both.filter(differs)
        stays = touched.join(changed, on=KEY, how="semi")["icustay_id"].n_unique()
        found[switch] = Counter({"cells": changed.height, "stays": stays})
    return found


def _concerned(events: pl.DataFrame, switch: str) -> pl.DataFrame:
    """Return the keys of the cells a switch could change."""
    if switch == "ties":
        several = events.filter(~pl.col("variable").is_in(NUMERIC_CODES)).group_by(KEY)
        return several.agg(pl.col("value").n_unique().alias("values")).filter(pl.col("values") > 1)
    return events.filter(~pl.col("blood") if switch == "specimens" else fio2_differs()).select(KEY).unique()


def _score() -> pl.Expr:
    """Return the number a text variable's value stands for, null if it is none."""
    score = pl.col("value").str.strip_chars().cast(pl.Float64, strict=False)
    for name, levels in SCORES.items():
        scores = {text: float(i) for i, texts in enumerate(levels, 1) for text in texts}
        known = pl.col("value").replace_strict(scores, default=None, return_dtype=pl.Float64)
        score = pl.when(pl.col("variable") == NAMES.index(name)).then(known).otherwise(score)
    return score
