"""Standardisation fitted on training hours."""

import json

import numpy as np
import pytest

from clinbench.cohorts import normaliser
from clinbench.errors import UserError

FEATURES = ["a", "mask->a", "b"]


def test_equals_the_formula_and_leaves_the_rest_alone():
    rng = np.random.default_rng(0)
    values = rng.normal(5, 3, (50, 3)).astype(np.float32)
    state = json.loads(json.dumps(normaliser.fit(values[:30], FEATURES, ["b", "a"])))
    out = normaliser.apply(values, FEATURES, state)
    for column in (0, 2):
        seen = [float(x) for x in values[:30, column]]
        mean = sum(seen) / 30
        std = (sum((x - mean) ** 2 for x in seen) / 29) ** 0.5
        np.testing.assert_allclose(out[:, column], (values[:, column] - mean) / std, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(out[:, 1], values[:, 1])
    assert state["hours"] == 30 and out.dtype == np.float32


def test_constant_feature_has_the_floor():
    state = normaliser.fit(np.ones((4, 3)), FEATURES, ["a"])
    assert state["stds"] == [1e-7]
    assert normaliser.apply(np.ones((4, 3)), FEATURES, state)[0, 0] == 0


def test_mistakes_are_named():
    with pytest.raises(UserError, match="at least two training hours"):
        normaliser.fit(np.ones((1, 3)), FEATURES, ["a"])
    state = normaliser.fit(np.ones((4, 3)), FEATURES, ["a"])
    with pytest.raises(UserError, match="lack: a"):
        normaliser.apply(np.ones((4, 1)), ["b"], state)
