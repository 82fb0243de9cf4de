"""The text of a code that is closest to a mention, for a model that reads one text of a code that has many."""

from collections import defaultdict
from functools import lru_cache

import numpy as np
import polars as pl
from scipy import sparse

from clinbench.coding.ngrams import ngram_vectors
from clinbench.coding.text import fold

NGRAMS = (2, 5)  # characters, within words padded by blanks
DIGITS = 12  # the order of a sum must not decide a tie


class Closest:
    """Texts of a codes table, compared with mentions by the cosine of their character n-gram TF-IDF vectors."""

    def __init__(self, table: pl.DataFrame) -> None:
        """Take in the texts.

        Args:
            table: codes table; each (code, folded text) counts once.

        Raises:
            UserError: no text has an n-gram.
        """
        distinct: dict[tuple[str, str], str] = {}
        for code, text in table.select("code", "text").iter_rows():
            distinct.setdefault((code, fold(text)), text)
        rows = [(code, folded, text) for (code, folded), text in distinct.items()]
        self._texts = [text for _, _, text in rows]
        self._folded = [folded for _, folded, _ in rows]
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, (code, _, _) in enumerate(rows):
            self._places[code].append(place)
        told = f"The {table.height} texts of the codes table have no letters."
        self._vectorizer, self._vectors = ngram_vectors(self._folded, NGRAMS, told)
        # The codes of one mention are asked for in a row.
        self._vector = lru_cache(maxsize=1)(self._vector_of)

    def of(self, mention: str, code: str, others: bool = False) -> str | None:
        """Return the code's text closest to the mention, the first of those that tie; None where it has none.

        Args:
            mention: any string.
            code: any code.
            others: leave the mention itself out, as it must be where the texts hold the mentions trained on.
        """
        folded = fold(mention)
        places = [at for at in self._places.get(code, ()) if not (others and self._folded[at] == folded)]
        if len(places) < 2:
            return self._texts[places[0]] if places else None
        cosines = (self._vectors[places] @ self._vector(folded)).toarray()[:, 0]
        return self._texts[places[int(np.argmax(np.round(cosines, DIGITS)))]]

    def _vector_of(self, folded: str) -> sparse.csc_array:
        return sparse.csc_array(self._vectorizer.transform([folded])).T
