"""What this project's lexicon and grammar say of ICD-10-CM codes, in one language: texts to merge with a table's.

The texts are composed, not official: terms, lay words and abbreviations with the modifiers of the code's title.
"""

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.coding.frames import table_frame
from clinbench.coding.lexicon.compose import Composer, plain
from clinbench.coding.lexicon.hierarchy import Hierarchy, load_hierarchy
from clinbench.coding.lexicon.meanings import Meaning, read_meanings
from clinbench.coding.lexicon.terms import ambiguous, load_terms
from clinbench.coding.lexicon.vocabulary import load_vocabulary
from clinbench.coding.text import fold
from clinbench.defaults import with_defaults
from clinbench.runtime import cell_seed

TITLE = "composed texts of this project's lexicon"
EDITION = "ICD-10-CM 2026"
DATA = {}
LEXICON = True  # its texts change with the lexicon's files
OPTIONS = {
    "language": {
        "enum": ["en", "es", "ca", "it", "pt", "fr"],
        "default": "es",
        "description": "Language of the texts.",
    },
    "encounters": {
        "type": "boolean",
        "default": False,
        "description": "Also of codes whose last character is the encounter: many, and alike but for it.",
    },
    "title": {"type": "string", "default": "", "description": "What captions call the table."},
}


def load(
    data: dict[str, Path], options: dict, hierarchy: Hierarchy | None = None
) -> tuple[pl.DataFrame, dict]:
    """Compose one text for each term of each code that the grammar understands.

    Args:
        data: nothing is read.
        options: see ``OPTIONS``.
        hierarchy: ICD-10-CM, in place of the installed package's.

    Returns:
        The codes table (``frames.TABLE``) and counts: ``codes``, ``texts``, ``ambiguous`` (texts left out: words
        that the lexicon gives to several categories and no modifier tells apart), ``grammar``.
    """
    settings = with_defaults(OPTIONS, options)
    lang, hierarchy = settings["language"], hierarchy or load_hierarchy()
    lexicon, vocabulary = load_terms(), load_vocabulary()
    meanings, grammar = read_meanings(hierarchy.titles, lexicon, vocabulary)
    composer, unclear = Composer(lexicon, vocabulary), ambiguous(lexicon)[lang]
    counts: Counter = Counter(ambiguous=0)
    rows = []
    for code, meaning in meanings.items():
        if not settings["encounters"] and "encounter" in map(vocabulary.kinds.get, meaning.modifiers):
            continue
        texts = _texts(composer, meaning, lang, np.random.default_rng(cell_seed("lexicon", lang, code)))
        clear = [text for text in texts if meaning.modifiers or fold(text) not in unclear]
        counts["ambiguous"] += len(texts) - len(clear)
        rows += [(code, text, lang, "lexicon") for text in clear]
    frame = table_frame(rows)
    return frame, {
        "codes": frame["code"].n_unique(),
        "texts": frame.height,
        **counts,
        "grammar": grammar,
        "edition": EDITION,
    }


def _texts(composer: Composer, meaning: Meaning, lang: str, rng: np.random.Generator) -> list[str]:
    """Say a meaning once with each of its terms."""
    terms = composer.terms(meaning, lang)
    return list(dict.fromkeys(plain(composer.words(meaning, lang, term, rng)) for term in terms))
