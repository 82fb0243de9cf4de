"""The one text of a code where a model reads a single one."""

from typing import NamedTuple

import polars as pl


class Texts(NamedTuple):
    """First texts of codes: of all, and by language."""

    codes: dict[str, str]
    spoken: dict[tuple[str, str], str]

    def of(self, code: str, lang: str | None = None) -> str:
        """Return the first text of a code in a language; its first text of all where it has none in it."""
        return self.spoken.get((code, lang), self.codes[code])


def first_texts(table: pl.DataFrame) -> Texts:
    """Collect the first texts of a codes table."""
    codes: dict[str, str] = {}
    spoken: dict[tuple[str, str], str] = {}
    for code, text, lang in table.select("code", "text", "lang").iter_rows():
        codes.setdefault(code, text)
        spoken.setdefault((code, lang), text)
    return Texts(codes, spoken)
