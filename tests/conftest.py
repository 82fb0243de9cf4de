"""Options of the test run."""

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--run-default", action="store_true", help="check the numbers of the default run in results/"
    )
    parser.addoption("--run-slow", action="store_true", help="run the tests marked slow: an hour of kills")


def pytest_collection_modifyitems(config, items):
    default = pytest.mark.skip(reason="needs the default run: make test-default")
    slow = pytest.mark.skip(reason="takes long: make test-slow")
    for item in items:
        if "default_run" in item.path.parts and not config.getoption("--run-default"):
            item.add_marker(default)
        if "slow" in item.keywords and not config.getoption("--run-slow"):
            item.add_marker(slow)
