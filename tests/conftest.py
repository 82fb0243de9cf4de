"""Options of the test run."""

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--run-default", action="store_true", help="check the numbers of the default run in results/"
    )


def pytest_collection_modifyitems(config, items):
    if config.getoption("--run-default"):
        return
    skip = pytest.mark.skip(reason="needs the default run: make test-default")
    for item in items:
        if "default_run" in item.path.parts:
            item.add_marker(skip)
