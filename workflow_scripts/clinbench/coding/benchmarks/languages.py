"""Composed queries in up to six languages, of categories that data set A holds in none of them.

They are the lexicon's, noise included: they tell how a system carries over to codes and languages, not how it
does on what clinicians write.
"""

from collections import Counter, defaultdict
from collections.abc import Collection
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.coding.frames import queries_frame
from clinbench.coding.lexicon.hierarchy import load_hierarchy
from clinbench.coding.lexicon.terms import load_terms
from clinbench.coding.lexicon.vocabulary import load_vocabulary
from clinbench.coding.supervision.turns import Turns, held_out
from clinbench.coding.supervision.tutors.lexicon import LexiconTutor
from clinbench.coding.text import fold
from clinbench.defaults import with_defaults
from clinbench.errors import UserError
from clinbench.runtime import cell_seed

TITLE = "composed queries of categories held out of data set A"
ACCESS = "open"
SYNTHETIC = True
RESAMPLED = "categories"  # the unit of the bootstrap: queries of one category are not independent
DATA = {}
TABLES = ("icd10cm",)
SUPERVISION = ("held_out", "languages", "noise", "seed")  # keys of coding.supervision that ``load`` is told
LAYOUTS = {
    "relevance": {"code": "languages_code", "category": "languages_category"}
}  # of its table, by option
OPTIONS = {
    "queries": {
        "type": "integer",
        "minimum": 1,
        "default": 300,
        "description": "Queries in each language at most.",
    },
    "relevance": {
        "enum": ["code", "category"],
        "default": "code",
        "description": "What counts as found in the table: the very code, or any code of its three-character category "
        "(ranks are then of categories, each standing where its first code stands).",
    },
}
ATTEMPTS = 4  # texts tried for a code before the next code has its turn


def load(data: dict[str, Path], options: dict, table: pl.DataFrame) -> tuple[pl.DataFrame, dict]:
    """Return the queries, all of them of split ``test``; ``doc`` is the category, ``query_id`` ``es-17``.

    The categories are those that ``turns.held_out`` keeps out of data set A. Every language takes the codes in
    the same order. A text composed for two codes has no single right answer and is left out.

    Args:
        data: nothing is read.
        options: see ``OPTIONS``; and ``supervision``, of ``coding.supervision`` the keys ``SUPERVISION``.
        table: codes table; only its codes are asked for.

    Raises:
        UserError: no category is held out, or the lexicon says none of their codes.
    """
    settings = with_defaults(OPTIONS, {key: value for key, value in options.items() if key != "supervision"})
    supervision, hierarchy, pool = options["supervision"], load_hierarchy(), set(table["code"])
    kept_out = held_out({code[:3] for code in hierarchy.titles}, supervision["held_out"])
    lexicon, vocabulary = load_terms(known=hierarchy.titles), load_vocabulary()
    tutor = LexiconTutor(lexicon, vocabulary, hierarchy, supervision["noise"])
    codes = [code for code in tutor.meanings if code[:3] in kept_out and code in pool]
    if not codes:
        raise UserError(
            "No code that the lexicon can say is held out of data set A and in the table. Raise "
            "coding.supervision.held_out, or give coding.languages a table with more codes."
        )
    rows, ambiguous = [], Counter()
    for lang in supervision["languages"]:
        found, ambiguous[lang] = compose(tutor, codes, lang, settings["queries"], supervision["seed"])
        rows += [
            (f"{lang}-{at}", "test", query, code, code[:3], lang) for at, (query, code) in enumerate(found, 1)
        ]
    frame = queries_frame(rows)
    return frame, {
        "queries": dict(Counter(frame["lang"])),
        "codes": frame["code"].n_unique(),
        "categories": frame["doc"].n_unique(),
        "ambiguous": dict(ambiguous),
        "pool": len(pool),
    }


def compose(
    tutor: LexiconTutor, codes: Collection[str], lang: str, count: int, seed: int
) -> tuple[list[tuple[str, str]], int]:
    """Return at most ``count`` distinct (query, code) of one language, and how many were ambiguous."""
    turns, rng = Turns(codes, count, seed), np.random.default_rng(cell_seed("languages", lang, seed))
    meant: dict[str, set[str]] = defaultdict(set)
    made: dict[str, tuple[str, str]] = {}
    for code in turns.codes():
        if len(made) == count:
            break
        for _ in range(ATTEMPTS):
            query = tutor.query(tutor.meanings[code], lang, rng)[0]
            folded = fold(query or "")
            if query and folded not in made:
                made[folded] = query, code
                turns.used(code)
                break
            if query:
                meant[folded].add(code)
        else:
            turns.failed(code)
    unclear = {folded for folded, codes in meant.items() if codes - {made[folded][1]}}
    return [pair for folded, pair in made.items() if folded not in unclear], len(unclear)
