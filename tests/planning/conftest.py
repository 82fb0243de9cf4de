"""The shipped configuration, to change."""

import copy

import pytest
import yaml
from tests.paths import ROOT


@pytest.fixture
def config():
    return copy.deepcopy(yaml.safe_load((ROOT / "config.yaml").read_text()))
