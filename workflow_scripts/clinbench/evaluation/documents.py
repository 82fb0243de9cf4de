"""Document-level scores as CodiEsp's official evaluation computes them (coding.md section 3.5).

A document has a set of gold codes and a ranked list of predicted ones. Precision, recall and F1 are micro
over distinct (document, code) pairs. MAP has no cut-off and is the mean over the documents that have both
a gold and a predicted code; in a list, rank order is the order given.
"""

from collections.abc import Container, Iterable, Mapping, Sequence

import numpy as np

METRICS = ("doc_precision", "doc_recall", "doc_f1", "doc_map")


def codes_of(pairs: Iterable[tuple[str, str]], valid: Container[str] | None = None) -> dict[str, list[str]]:
    """Collect (document, code) pairs: lower-cased, repeated ones kept once where they come first.

    Args:
        pairs: in rank order, as in a gold or prediction file.
        valid: lower-case codes that count; others are dropped, as the official scorer drops them, so that they
            cost no precision. None keeps all.

    Example:
        >>> codes_of([("d1", "R50"), ("d1", "i10"), ("d1", "r50"), ("d2", "x")], {"i10", "r50"})
        {'d1': ['r50', 'i10']}
    """
    found: dict[str, dict[str, None]] = {}
    for doc, code in pairs:
        code = code.lower()
        if valid is None or code in valid:
            found.setdefault(doc, {})[code] = None
    return {doc: list(codes) for doc, codes in found.items()}


def document_tallies(
    gold: Mapping[str, Sequence[str]], predicted: Mapping[str, Sequence[str]]
) -> tuple[list[str], np.ndarray]:
    """Count what each document adds.

    Args:
        gold: document to its codes.
        predicted: document to its codes, best first.

    Returns:
        All documents, sorted, and (documents, 5) float64: gold codes, predicted codes, right ones, average
        precision, and 1 if the document has both gold and predicted codes.
    """
    docs = sorted({*gold, *predicted})
    rows = []
    for doc in docs:
        wanted, given = set(gold.get(doc, ())), list(predicted.get(doc, ()))
        hits = [rank for rank, code in enumerate(given, 1) if code in wanted]
        precision = sum(found / rank for found, rank in enumerate(hits, 1))
        both = bool(wanted and given)
        rows.append((len(wanted), len(given), len(hits), precision / len(wanted) if both else 0.0, both))
    return docs, np.array(rows, dtype=np.float64).reshape(-1, 5)


def gold_tallies(gold: Mapping[str, Sequence[str]], predicted: Mapping[str, Sequence[str]]) -> np.ndarray:
    """Return (documents with gold, 5) tallies, sorted by document; predictions for others are left out."""
    return document_tallies(gold, {doc: codes for doc, codes in predicted.items() if doc in gold})[1]


def document_ratios(sums: np.ndarray) -> dict[str, np.ndarray]:
    """Turn summed tallies (..., 5) into the metrics; what has no denominator is NaN."""
    wanted, given, right, precision, both = np.moveaxis(np.asarray(sums), -1, 0)
    with np.errstate(invalid="ignore"):
        values = (right / given, right / wanted, 2 * right / (wanted + given), precision / both)
    return dict(zip(METRICS, values, strict=True))


def document_metrics(
    gold: Mapping[str, Sequence[str]], predicted: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """Score predicted codes.

    Example:
        >>> scores = document_metrics({"d1": ["a", "b"], "d2": ["c"]}, {"d1": ["a", "x", "b"]})
        >>> {name: round(value, 3) for name, value in scores.items()}
        {'doc_precision': 0.667, 'doc_recall': 0.667, 'doc_f1': 0.667, 'doc_map': 0.833}
    """
    _, tallies = document_tallies(gold, predicted)
    return {name: float(value) for name, value in document_ratios(tallies.sum(axis=0)).items()}
