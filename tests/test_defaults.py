"""Defaults of options."""

import doctest

from clinbench import defaults


def test_given_options_win_and_the_rest_are_defaults():
    assert doctest.testmod(defaults) == doctest.TestResults(failed=0, attempted=2)
    assert defaults.with_defaults({"a": {"default": 1}}, {"a": None}) == {"a": None}
