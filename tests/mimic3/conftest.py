"""Made-up tables on disk, and one call from tables to tensors."""

import pytest
from tests.mimic3.tables import make_tables, write_resources, write_tables

from clinbench.cohorts import mimic3
from clinbench.defaults import with_defaults


@pytest.fixture
def resources(tmp_path):
    return write_resources(tmp_path / "resources")


@pytest.fixture
def prepare(tmp_path, resources):
    """Return a function: tables (or seed), preset and options to summary, folder, and ``load`` of a task."""

    def run(tables=0, preset="clean", source=None, is_open=False, **given):
        options = with_defaults(mimic3.OPTIONS, given, preset)
        if source is None:
            tables = make_tables(tables) if isinstance(tables, int) else tables
            source = write_tables(tmp_path / "csv", tables)
        data = {"mimic3": source, "mimic3_resources": resources}
        folder = tmp_path / f"prepared{len(list(tmp_path.glob('prepared*')))}"
        folder.mkdir()
        preparing = {name: options[name] for name in mimic3.PREPARING}
        summary = mimic3.prepare_cohort(data, preparing, folder, is_open)
        return summary, lambda task: mimic3.load(data, options, folder, task)

    return run
