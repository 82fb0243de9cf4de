"""A shorter shortlist, read off a longer one: the same as re-ranking it."""

import numpy as np
import pytest

from clinbench.coding.frames import table_frame
from clinbench.coding.rerank import rerank
from clinbench.coding.shortlist import shortened, sizes
from clinbench.errors import UserError


def test_it_is_what_re_ranking_fewer_codes_gives():
    rng = np.random.default_rng(0)
    codes = [f"A{at:02d}" for at in range(12)]
    table = table_frame([(code, f"text of {code}", "en", "t") for code in codes])
    queries = [f"q{at}" for at in range(5)]
    first = [[(codes[at], -float(place)) for place, at in enumerate(rng.permutation(12))] for _ in queries]

    def score(pairs):
        drawn = np.random.default_rng(1).normal(size=(5, 12))  # of a pair, whatever else is scored
        return np.array([drawn[int(query[1:]), int(text[-2:])] for query, text in pairs])

    long = rerank(queries, table, first, score, 8, 12)
    for size in (1, 3, 8):
        expected = rerank(queries, table, first, score, size, 12)
        found = shortened(first, long, size)
        assert [[c for c, _ in ranking] for ranking in found] == [[c for c, _ in r] for r in expected]
    with pytest.raises(UserError, match="lacks A0|lacks A1"):
        shortened(first, [ranking[:2] for ranking in long], 8)


def test_sizes_end_at_what_the_runs_tell_of():
    assert sizes(50, 100) == [1, 2, 5, 10, 20, 50]
    assert sizes(30, 100) == [1, 2, 5, 10, 20, 30]
    assert sizes(200, 100) == [1, 2, 5, 10, 20, 50, 100] and sizes(1, 10) == [1]
