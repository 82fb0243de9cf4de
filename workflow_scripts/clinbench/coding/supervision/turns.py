"""Whose turn it is when examples are made: no chapter of many codes crowds out the others."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from heapq import heapify, heapreplace

import numpy as np

from clinbench.runtime import cell_seed

MAX_SHARE = 0.01  # of the examples that one code may have
CROWD = 16  # codes from which a category has no more turns: injuries have hundreds


class Turns:
    """Takes categories by the square root of their number of codes, and their codes one after the other.

    All languages share one object, so that together they reach more codes. No code has more than
    ``MAX_SHARE`` of the examples.

    Args:
        codes: canonical codes to take turns.
        count: how many examples are to be made.
        seed: of the order of a category's codes.
    """

    def __init__(self, codes: Iterable[str], count: int, seed: int):
        by_category: dict[str, list[str]] = {}
        for code in codes:
            by_category.setdefault(code[:3], []).append(code)
        rng = np.random.default_rng(cell_seed("turns", seed))
        self._codes = {
            category: [members[at] for at in rng.permutation(len(members))]
            for category, members in by_category.items()
        }
        self._at, self._uses, self._failures = Counter(), Counter(), Counter()
        self._limit = max(1, int(count * MAX_SHARE))

    def codes(self) -> Iterator[str]:
        """Yield codes for one language until every category has failed with all its codes in a row."""
        self._failures.clear()
        step = {category: min(len(codes), CROWD) ** -0.5 for category, codes in self._codes.items()}
        waiting = [(step[category], category) for category in self._codes]
        heapify(waiting)
        while waiting and waiting[0][0] != float("inf"):
            time, category = waiting[0]
            codes = self._codes[category]
            if self._failures[category] >= len(codes):
                heapreplace(waiting, (float("inf"), category))
                continue
            heapreplace(waiting, (time + step[category], category))
            code = codes[self._at[category] % len(codes)]
            self._at[category] += 1
            if self._uses[code] < self._limit:
                yield code
            else:
                self._failures[category] += 1

    def used(self, code: str) -> None:
        """Note that an example was made for a code."""
        self._uses[code] += 1
        self._failures[code[:3]] = 0

    def failed(self, code: str) -> None:
        """Note that no example could be made for a code now."""
        self._failures[code[:3]] += 1


def held_out(categories: Collection[str], share: float) -> set[str]:
    """Return the categories kept out of data set A, by a hash that is the same for every seed and lexicon."""
    return {category for category in categories if cell_seed("held out of A", category) / 2**31 < share}
