"""One normalisation of clinical text for every lexical comparison.

``úlcera``, ``ULCERA`` and the same word in decomposed Unicode fold to one
string, ``año`` and ``ano`` do not; ``hepatitis B`` keeps its ``b``
(field.md section 7, items 45, 47 and 48).
"""

import re
import unicodedata

# Accents of the Latin, Greek and Cyrillic scripts; the vowel signs of others carry meaning and stay.
_ACCENTS = re.compile("[\u0300-\u036f]")
_WORD = re.compile(r"\w+")


def fold(text: str) -> str:
    """Fold case, accents (ñ kept) and blanks.

    Example:
        >>> fold("  Úlcera   GÁSTRICA del niño ")
        'ulcera gastrica del niño'
    """
    text = " ".join(text.split())
    if text.isascii():
        return text.lower()
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    bare = (_ACCENTS.sub("", unicodedata.normalize("NFD", part)) for part in composed.split("ñ"))
    return unicodedata.normalize("NFC", "ñ".join(bare))


def tokens(text: str) -> list[str]:
    r"""Return the folded ``\w+`` tokens, one-letter ones included; hyphens, commas and dots separate.

    Example:
        >>> tokens("Hepatitis B, tipo 2,5")
        ['hepatitis', 'b', 'tipo', '2', '5']
    """
    return _WORD.findall(fold(text))
