"""Propose lines for ``terms/shared.tsv``: ``python -m clinbench.coding.lexicon.shared``.

Prints the strings that languages of one category share and that nobody has reviewed yet. Read each line,
correct the term files where one language's word is wrong, and append the rest to the list.
"""

from collections import defaultdict
from pathlib import Path

from clinbench.coding.lexicon.terms import HEADER, read_shared, unreviewed
from clinbench.coding.lexicon.tsvfile import FOLDER, LANGS, read_rows


def proposals(folder: Path = FOLDER / "terms") -> list[tuple[str, str]]:
    """Return ``(term, langs)`` for every unreviewed string, languages joined by commas, sorted."""
    problems: list[str] = []
    files = sorted(folder.glob("[0-9][0-9].tsv"))
    named = [(place, row["code"], row) for file in files for place, row in read_rows(file, HEADER, problems)]
    found: dict[str, set[str]] = defaultdict(set)
    for term, places in unreviewed(named, read_shared(folder, problems)):
        found[term] |= set(places)
    return [
        (term, ",".join(lang for lang in LANGS if lang in found[term]))
        for term in sorted(found, key=str.casefold)
    ]


if __name__ == "__main__":
    for term, langs in proposals():
        print(f"{term}\t{langs}")
