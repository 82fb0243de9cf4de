"""Character n-gram TF-IDF of texts."""

from typing import TYPE_CHECKING

from scipy import sparse

from clinbench.errors import UserError

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer


def ngram_vectors(
    folded: list[str], ngrams: tuple[int, int], empty: str
) -> "tuple[TfidfVectorizer, sparse.csr_array]":
    """Weigh the character n-grams of texts, within words padded by blanks.

    Args:
        folded: n texts.
        ngrams: lengths of the shortest and the longest.
        empty: what to tell where no text has one.

    Returns:
        The fitted vectorizer, and the texts' rows (n, grams) of length 1.

    Raises:
        UserError: no text has an n-gram.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(
        analyzer="char_wb", ngram_range=tuple(ngrams), sublinear_tf=True, lowercase=False
    )
    try:
        return vectorizer, sparse.csr_array(vectorizer.fit_transform(folded))
    except ValueError as error:
        raise UserError(empty) from error
