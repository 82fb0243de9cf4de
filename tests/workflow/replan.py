"""Plan `all` again after each of many edits, in one process; run as a script in a copy of the checkout.

Reads a JSON list of edits, ``{"config": overlay, "files": [[path, old, new], ...]}``, and prints for each the first
output of every job that would run. Before, every output is declared made by the plan without edits: Snakemake's own
``touch`` writes the records its triggers look at, so that no training is needed to ask what would be repeated.
"""

import json
import sys
from pathlib import Path

import yaml
from snakemake.api import SnakemakeApi
from snakemake.executors.touch import Executor
from snakemake.settings.enums import Quietness, RerunTrigger
from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, ResourceSettings

PROFILE = yaml.safe_load(Path("profiles/default/profile.yaml").read_text())
TRIGGERS = frozenset(map(RerunTrigger.parse_choice, PROFILE["rerun-triggers"]))


def forget() -> None:
    """Drop what the planning remembers of files, as a new process would."""
    from clinbench import digest, plugins
    from planning import places

    for remembered in (
        digest.code_digest,
        digest._parsed,
        digest._module_file,
        plugins._literals,
        places._walked,
    ):
        remembered.cache_clear()


def planned(overlay: dict, executor: str = "dryrun") -> list:
    """Return the jobs that would run with a configuration laid over the shipped one."""
    dry = executor == "dryrun"
    with SnakemakeApi(OutputSettings(dryrun=dry, quiet={Quietness.ALL})) as api:
        workflow = api.workflow(
            resource_settings=ResourceSettings(cores=1),
            config_settings=ConfigSettings(config=overlay),
            snakefile=Path("Snakefile"),
        )
        dag = workflow.dag(dag_settings=DAGSettings(targets={"all"}, rerun_triggers=TRIGGERS))
        workflow._workflow._onsuccess = lambda log: None  # the summary would read tables that are not there
        dag.execute_workflow(executor=executor)
        plan = workflow._workflow.dag
        return [job for job in plan.jobs if plan.needrun(job)]


def create(job) -> None:
    """Lay an empty file or folder where each output of a job goes."""
    for output in job.output:
        place = Path(output) / "made" if output.is_directory else Path(output)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()


def main() -> None:
    for job in planned({}):
        create(job)
    Executor.SLEEPING_TIME = 0
    planned({}, "touch")
    answers = []
    for edit in json.load(sys.stdin):
        before = {path: Path(path).read_text() for path, *_ in edit.get("files", [])}
        for path, old, new in edit.get("files", []):
            text = Path(path).read_text()
            assert old in text, f"{path}: {old}"
            Path(path).write_text(text.replace(old, new, 1))
        forget()
        answers.append([job.output[0] for job in planned(edit.get("config", {})) if job.output])
        for path, text in before.items():
            Path(path).write_text(text)
    print(json.dumps(answers))


main()
