"""Every job of the queue names memory and time, which grow with its attempts; the rest runs where Snakemake does."""

import pytest
from snakemake.api import SnakemakeApi
from snakemake.settings.types import DAGSettings, OutputSettings, Quietness, ResourceSettings
from tests.paths import ROOT

# Tables, figures and packing; and what needs the network.
HERE = {
    *("all", "copy_groups", "download", "download_data", "export", "import_run", "estimate_supervision"),
    *("risk_table", "coding_table", "subsets_table", "study_table", "imbalance", "phenotypes"),
    *("chapters_figure", "shortlist_figure", "tsne_figure", "scr_weights_figure", "triplets_figure"),
    *("differences", "selection_leak_figure", "learning_curves_figure"),
    *(
        "calibration_figure",
        "calibration_table",
        "subgroups_table",
        "claims",
        "estimate",
        "manifest",
        "report",
    ),
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
        workflow = api.workflow(
            ResourceSettings(cores=1),
            snakefile=ROOT / "Snakefile",
            workdir=tmp_path_factory.mktemp("planned"),
        )
        workflow.dag(DAGSettings(targets={"all"})).execute_workflow(executor="dryrun")
        return {rule.name: rule for rule in workflow._workflow.rules}, workflow._workflow


def test_what_runs_where(rules):
    found, workflow = rules
    assert {name for name, rule in found.items() if rule.norun or name in workflow._localrules} == HERE


def test_memory_and_time_grow_with_the_attempts(rules):
    for name in rules[0].keys() - HERE:
        for resource in ("mem_mb", "runtime"):
            value = rules[0][name].resources[resource]
            first, third = (value.evaluate(None, attempt=attempt).value for attempt in (1, 3))
            assert first > 0 and third == 3 * first, (name, resource)
