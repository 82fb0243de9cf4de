"""Rows of CSV text by their bytes: where each begins, how many fields it has, quotes out of place.

Parsers fill short rows, cut long ones and join lines between stray quotes, all in silence.
"""

from typing import NamedTuple

import numpy as np

QUOTE, COMMA, END, RETURN = b'",\n\r'
OTHERS = bytes({*range(256)} - {COMMA, END})
STRAY = "a quotation mark stands inside a field, or is never closed"


class Rows(NamedTuple):
    """R rows of a text.

    Attributes:
        starts: (R + 1,) int64, first byte of each row, then the length of the text.
        lines: (R,) int64, line breaks before each row.
        fields: (R,) int64, fields of each row; a blank one has one.
        blank: (R,) bool, whether a row has nothing but white space.
    """

    starts: np.ndarray
    lines: np.ndarray
    fields: np.ndarray
    blank: np.ndarray

    def without_blank(self, text: bytes) -> bytes:
        """Return the text without its blank rows."""
        if not self.blank.any():
            return text
        cuts = np.flatnonzero(self.blank)
        begins = self.starts[np.concatenate([[0], cuts + 1])].tolist()
        ends = self.starts[np.concatenate([cuts, [len(self.fields)]])].tolist()
        return b"".join(text[begin:end] for begin, end in zip(begins, ends, strict=True))


def find_rows(text: bytes) -> Rows:
    """Find the rows of a text that ends with a line break and has no quote out of place."""
    octets = np.frombuffer(text, dtype=np.uint8)
    separators = _separators(text)
    last = np.flatnonzero(octets[separators] == END)
    starts = np.concatenate([[0], separators[last] + 1])
    fields = np.diff(last, prepend=-1)
    lines = np.searchsorted(np.flatnonzero(octets == END), starts[:-1])
    blank = np.zeros(len(fields), dtype=bool)
    for row in np.flatnonzero(fields == 1):
        blank[row] = not text[starts[row] : starts[row + 1]].strip()
    return Rows(starts, lines, fields, blank)


def all_have(text: bytes, width: int) -> bool:
    """Return whether every row has ``width`` fields; much faster than ``find_rows``."""
    outside = b"".join(text.split(b'"')[::2]) if b'"' in text else text
    separators = outside.translate(None, OTHERS)
    return separators == (b"," * (width - 1) + b"\n") * (len(separators) // width)


def misplaced_quote(text: bytes) -> int | None:
    """Return how many line breaks precede the first quote that opens no field, or one that nothing closes rightly.

    A doubled quote in a quoted field closes and opens it again.
    """
    octets = np.frombuffer(text, dtype=np.uint8)
    quotes = np.flatnonzero(octets == QUOTE)
    before, after = np.full((2, len(quotes)), END, dtype=np.uint8)
    before[quotes > 0] = octets[quotes[quotes > 0] - 1]
    after[quotes < len(octets) - 1] = octets[quotes[quotes < len(octets) - 1] + 1]
    wrong = ~np.isin(before, (COMMA, END, QUOTE))
    wrong[1::2] = ~np.isin(after[1::2], (COMMA, END, RETURN, QUOTE))
    if len(quotes) % 2:
        wrong[-1] = True
    if not wrong.any():
        return None
    opening = quotes[
        wrong.argmax() // 2 * 2
    ]  # of a wrong end the start is at fault, which may be lines before
    return text.count(b"\n", 0, int(opening))


def last_row_end(data: bytes) -> int:
    """Return where the last whole row ends: after a line break with an even number of quotes before it."""
    end = data.rfind(b"\n") + 1
    if data.count(b'"', 0, end) % 2 == 0:
        return end
    octets = np.frombuffer(data, dtype=np.uint8)
    breaks = np.flatnonzero(octets == END)
    outside = breaks[_inside_quotes(octets, breaks) == 0]
    return int(outside[-1]) + 1 if len(outside) else 0


def _separators(text: bytes) -> np.ndarray:
    """Return the places of the commas and line breaks outside quotes."""
    octets = np.frombuffer(text, dtype=np.uint8)
    places = np.flatnonzero((octets == COMMA) | (octets == END))
    return places[_inside_quotes(octets, places) == 0] if b'"' in text else places


def _inside_quotes(octets: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return 1 for places after an odd number of quotes, else 0; counting modulo 256 keeps what is odd."""
    return np.cumsum(octets == QUOTE, dtype=np.uint8)[places] & 1
