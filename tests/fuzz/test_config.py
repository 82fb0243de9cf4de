"""Nonsense in the configuration is told by its key before any job; nothing in it is a traceback."""

import copy

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.paths import ROOT

from clinbench.config import check
from clinbench.errors import UserError

SHIPPED = yaml.safe_load((ROOT / "config.yaml").read_text())
NUMBERS = [-1, 0, 1e308, float("nan"), float("inf"), 10**30]
NONSENSE = st.sampled_from(
    [
        None,
        True,
        "",
        "x",
        "1e-3",
        "../x",
        "é",
        [],
        [None],
        [[]],
        [{}],
        {},
        {"x": {}},
        {"kind": None},
        *NUMBERS,
    ]
)


def places(node, path=()):
    """List the paths of all keys of nested maps and of all places of lists."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


PLACES = places(SHIPPED)[1:]


@settings(
    max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(st.lists(st.tuples(st.sampled_from(PLACES), NONSENSE, st.booleans()), min_size=1, max_size=2))
def test_any_value_is_accepted_or_refused_in_words(edits):
    config = copy.deepcopy(SHIPPED)
    for path, value, added in edits:
        node = config
        try:
            for key in path[:-1]:
                node = node[key]
            if added and isinstance(node, dict):
                node["a_new_key"] = copy.deepcopy(value)
            else:
                node[path[-1]] = copy.deepcopy(value)
        except (KeyError, IndexError, TypeError):
            continue  # the first edit took the place of the second away
    try:
        check(config)
    except UserError as error:
        assert "\n" in str(error) or ":" in str(error)
