"""The tiny run, uninterrupted."""

import pytest
from tests.faults.tiny import Workflow, make_encoder


@pytest.fixture(scope="session")
def encoder(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("tiny") / "encoder")


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory, encoder) -> Workflow:
    run = Workflow(tmp_path_factory.mktemp("uninterrupted") / "run", encoder)
    run.finish()
    assert not run.states()
    return run
