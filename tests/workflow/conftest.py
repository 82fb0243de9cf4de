"""The workflow in an empty working directory."""

import pytest
from tests.paths import ROOT
from tests.runs import run_snakemake


@pytest.fixture
def snakemake(tmp_path):
    """Dry-run the repository's workflow in an empty working directory."""

    def run(*arguments):
        return run_snakemake(*arguments, "--snakefile", ROOT / "Snakefile", cwd=tmp_path)

    return run
