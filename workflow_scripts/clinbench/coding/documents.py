"""From answers to single mentions to the ranked codes of a document (coding.md section 3.3)."""

from collections.abc import Sequence

from clinbench.coding.runs import Rankings


def first_answers(rankings: Rankings, golds: Sequence[tuple[str, ...]]) -> list[str | None]:
    """Return each mention's first code, None without one; any accepted code counts as the first accepted one."""
    tops = [ranking[0][0] if ranking else None for ranking in rankings]
    return [gold[0] if top in gold else top for top, gold in zip(tops, golds, strict=True)]


def document_codes(docs: Sequence[str], codes: Sequence[str | None]) -> dict[str, list[str]]:
    """Collect the distinct codes of each document's mentions, those of most mentions first, ties by code.

    This is how answers to single mentions become the ranked list that a document-level score needs.

    Args:
        docs: (Q,) the document of each mention.
        codes: (Q,) its code, None without an answer.

    Example:
        >>> document_codes(["d", "d", "d", "e"], ["R50", "I10", "R50", None])
        {'d': ['R50', 'I10']}
    """
    counts: dict[str, dict[str, int]] = {}
    for doc, code in zip(docs, codes, strict=True):
        if code is not None:
            of_doc = counts.setdefault(doc, {})
            of_doc[code] = of_doc.get(code, 0) + 1
    return {doc: sorted(of_doc, key=lambda code: (-of_doc[code], code)) for doc, of_doc in counts.items()}
