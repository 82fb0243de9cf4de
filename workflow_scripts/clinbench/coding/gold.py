"""Gold codes as annotators write them: one code, several joined ones, or a range.

A queries frame holds them in canonical spelling: ``I10``, ``N15.9+N17.0`` (any of them is right) or
``I10-I15.9`` (any code from the category of the first to that of the last is right).
"""

from collections.abc import Iterable

from clinbench.coding.codes import Code, parse
from clinbench.errors import UserError

JOIN = {"single": "", "multi": "+", "range": "-"}


def spelling(code: Code) -> str:
    """Write a parsed code as a cell of a queries frame.

    Raises:
        UserError: it is no code.
    """
    if code.kind == "invalid":
        raise UserError("What is no ICD-10 code cannot be a gold code.")
    return JOIN[code.kind].join(code.codes)


def alternatives(cell: str, pool: Iterable[str]) -> tuple[str, ...]:
    """Return every code that a gold cell accepts; the first one stands for it where one code is needed.

    Args:
        cell: of the column ``code`` of a queries frame.
        pool: codes that can be answered; a range accepts those of them that lie in it.

    Example:
        >>> alternatives("N15.9+N17.0", []), alternatives("I10-I15.9", ["I11.0", "I20", "I15"])
        (('N15.9', 'N17.0'), ('I10', 'I11.0', 'I15'))
    """
    found = parse(cell)
    if found.kind != "range":
        return found.codes
    first, last = (code[:3] for code in found.codes)
    inside = sorted(code for code in pool if first <= code[:3] <= last)
    return (first, *(code for code in inside if code != first))
