"""Negatives for one code: siblings that differ by one modifier first, then what lies ever farther away."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from clinbench.coding.codes import chapter
from clinbench.coding.lexicon.compose import pick
from clinbench.coding.lexicon.meanings import Meaning

NEAR = ("one_modifier", "category", "block", "chapter")  # how near a hard negative lies


class Negatives:
    """Draws hard and soft negatives among the codes that the lexicon can say.

    Args:
        meanings: codes the lexicon can say.
        kinds: kind of every modifier.
        blocks: block of every category, such as ``I10-I1A``.
    """

    def __init__(self, meanings: Mapping[str, Meaning], kinds: Mapping[str, str], blocks: Mapping[str, str]):
        self._meanings, self._kinds, self._blocks = meanings, kinds, blocks
        self._all_kinds = sorted(set(kinds.values()))
        self._exact = {(meaning.head, meaning.modifiers): code for code, meaning in meanings.items()}
        self._swapped: dict[tuple, list[str]] = defaultdict(list)
        self._by_category: dict[str, list[str]] = defaultdict(list)
        for code, meaning in meanings.items():
            self._by_category[code[:3]].append(code)
            for name in meaning.modifiers:
                self._swapped[meaning.head, meaning.modifiers - {name}, kinds[name]].append(code)

    @cached_property
    def _places(self) -> dict[str, dict[str, list[str]]]:
        """Categories by block and by chapter."""
        places: dict[str, dict[str, list[str]]] = {"block": defaultdict(list), "chapter": defaultdict(list)}
        for category in self._by_category:
            places["block"][self._blocks.get(category, category)].append(category)
            places["chapter"][chapter(category)].append(category)
        return places

    def siblings(self, code: str) -> list[str]:
        """Return the codes of the same head whose modifiers differ by one: another of its kind, or one more or less.

        All of them lie in the code's chapter.
        """
        meaning = self._meanings[code]
        found: dict[str, None] = {}
        for name in sorted(meaning.modifiers):
            rest = meaning.modifiers - {name}
            found |= dict.fromkeys(self._swapped[meaning.head, rest, self._kinds[name]])
            if (meaning.head, rest) in self._exact:
                found[self._exact[meaning.head, rest]] = None
        for kind in self._all_kinds:
            found |= dict.fromkeys(self._swapped.get((meaning.head, meaning.modifiers, kind), ()))
        found.pop(code, None)
        return [other for other in found if chapter(other[:3]) == chapter(code[:3])]

    def hard(self, code: str, count: int, rng: np.random.Generator) -> list[tuple[str, str]]:
        """Return up to ``count`` codes of the same chapter with how near each lies, nearest first."""
        category = code[:3]
        block = self._places["block"][self._blocks.get(category, category)]
        whole = self._places["chapter"][chapter(category)]
        chosen: dict[str, str] = {}
        for near, pool in (
            ("one_modifier", lambda: self.siblings(code)),
            ("category", lambda: self._by_category[category]),
            ("block", lambda: self._one_each(block, rng)),
            ("chapter", lambda: self._one_each(whole, rng)),
            ("chapter", lambda: [other for member in whole for other in self._by_category[member]]),
        ):
            left = [other for other in pool() if other != code and other not in chosen]
            for at in rng.permutation(len(left))[: count - len(chosen)]:
                chosen[left[at]] = near
            if len(chosen) == count:
                break
        return list(chosen.items())

    def soft(self, code: str, count: int, rng: np.random.Generator) -> list[str]:
        """Return ``count`` codes of other chapters, each of another category, drawn evenly."""
        own = chapter(code[:3])
        far = [category for category in self._by_category if chapter(category) != own]
        return [pick(self._by_category[far[at]], rng) for at in rng.permutation(len(far))[:count]]

    def _one_each(self, categories: list[str], rng: np.random.Generator) -> list[str]:
        return [pick(self._by_category[category], rng) for category in categories]
