"""Expected best of N against every choice of N, counted one by one."""

from itertools import combinations, permutations

import numpy as np
import pytest

from clinbench.reporting.best_of import best_of, pick_probabilities


def counted(chosen_by, told):
    """Take the mean over every set of N, the first of a tie in every order."""
    orders = list(permutations(range(len(told))))
    found = []
    for size in range(1, len(told) + 1):
        picks = [told[max(order[:size], key=lambda at: chosen_by[at])] for order in orders]
        found.append(np.mean(picks))
    return found


def test_numbers_worked_by_hand():
    # Of {.1, .2, .4}: pairs' best are .2, .4, .4; so 1/3 and 2/3 of the sets.
    scores = np.array([0.1, 0.4, 0.2])
    assert best_of(scores, scores).tolist() == pytest.approx([0.7 / 3, 1.0 / 3, 0.4])
    # Validation puts them .4 < .1 < .2 of test: pairs pick .1, .2, .2.
    assert best_of(np.array([2, 1, 3]), scores).tolist() == pytest.approx([0.7 / 3, 0.5 / 3, 0.2])
    assert pick_probabilities(3).tolist() == pytest.approx(
        np.array([[1 / 3, 1 / 3, 1 / 3], [2 / 3, 1 / 3, 0], [1, 0, 0]])
    )


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_mean_over_every_choice(seed):
    random = np.random.default_rng(seed)
    chosen_by, told = random.integers(0, 4, 6) / 10, random.random(6)  # with ties
    assert best_of(chosen_by, told).tolist() == pytest.approx(counted(chosen_by, told))
    assert best_of(told, told).tolist() == pytest.approx(
        [np.mean([max(some) for some in combinations(told, size)]) for size in range(1, 7)]
    )


def test_a_search_as_large_as_the_papers_is_exact():
    chances = pick_probabilities(525)
    assert np.allclose(chances.sum(axis=1), 1) and (chances >= 0).all()
    scores = np.random.default_rng(0).random(525)
    on_test, picked = best_of(scores, scores), best_of(scores[::-1], scores)
    assert (np.diff(on_test) >= -1e-12).all() and on_test[-1] == pytest.approx(scores.max())
    assert (on_test >= picked - 1e-12).all() and on_test[0] == pytest.approx(scores.mean())


def test_a_constant_validation_score_picks_at_random():
    assert best_of(np.zeros(4), np.array([0.1, 0.2, 0.3, 0.8])).tolist() == pytest.approx([0.35] * 4)
