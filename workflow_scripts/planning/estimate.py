"""The jobs of a plan and those measured before, as work to compare; a dry-run, no job starts."""

import json
from pathlib import Path

from snakemake.api import SnakemakeApi
from snakemake.settings.enums import Quietness
from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, ResourceSettings

from clinbench.errors import UserError
from clinbench.estimates import Work, shipped
from clinbench.files import read_json

RESULTS = Path("results")
TRAINING = "train_risk"


def planned(snakefile: Path, config: dict, cores: int, targets: frozenset[str]) -> list[Work]:
    """Return the jobs that make ``targets``, done or not, except ``all`` itself.

    Args:
        snakefile: of this workflow.
        config: the whole configuration.
        cores: which clamp threads, as in a run.
    """
    with SnakemakeApi(OutputSettings(dryrun=True, quiet={Quietness.ALL})) as api:
        workflow = api.workflow(
            resource_settings=ResourceSettings(cores=cores),
            config_settings=ConfigSettings(config=config, replace_workflow_config=True),
            snakefile=snakefile,
        )
        dag = workflow.dag(dag_settings=DAGSettings(targets=targets))
        dag.execute_workflow(executor="dryrun")
        plan = workflow._workflow.dag  # what was planned is not in the public interface
        jobs = [job for job in plan.jobs if job.rule.script]
        return [_work(job, config, plan.needrun(job)) for job in jobs]


def _work(job, config: dict, left: bool) -> Work:
    names = dict(job.wildcards.items())
    what, amount = _what(job.rule.name, names, config), 1.0
    if job.rule.name == TRAINING:
        recipe = json.loads(job.params.recipe)
        amount = recipe["epochs"] * len(recipe["settings"]) * _stays(config, names, recipe["task"]) / 1000
    gpus = int(job.resources.get("gpu", 0) or 0)
    return Work(job.rule.name, what, tuple(names.values()), amount, job.threads, gpus, left)


def _what(rule: str, names: dict[str, str], config: dict) -> str:
    """Return what makes jobs of a rule comparable."""
    if rule == TRAINING:
        return config["risk"]["models"][names["model"]]["kind"]
    return names.get("system", names.get("study", ""))


def _stays(config: dict, names: dict[str, str], task: str) -> int:
    """Return how many stays a job trains on: as built, or about."""
    record = RESULTS / names["access"] / "risk" / names["cohort"] / f"{task}.run.json"
    if record.is_file():
        return read_json(record)["statistics"]["train"]["stays"]
    if names["cohort"] == "synthetic":
        return round(0.7 * config["risk"]["synthetic"].get("stays", shipped()["other_stays"] / 0.7))
    return shipped()["stays"].get(names["cohort"], {}).get(task, shipped()["other_stays"])


def measured(config: dict) -> list[Work]:
    """Return the jobs that ``results/benchmarks`` has seconds of."""
    found = []
    for file in sorted((RESULTS / "benchmarks").rglob("*.tsv")):
        rule, *rest = file.relative_to(RESULTS / "benchmarks").with_suffix("").parts
        lines = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()[:2]]
        if len(lines) == 2 and "s" in lines[0]:
            seconds = float(lines[1][lines[0].index("s")])
            found += [_measured(rule, file.with_suffix("").name, tuple(rest), seconds, config)]
    return [work for work in found if work is not None]


def _measured(rule: str, last: str, rest: tuple[str, ...], seconds: float, config: dict) -> Work | None:
    name = tuple(part.split("=", 1)[-1] if part.startswith(("batch=", "seed=")) else part for part in rest)
    if rule != TRAINING:
        systems = set(config["coding"]["retrievers"]) | set(config["coding"]["external"])
        what = next((part for part in name if part in systems), "")
        return Work(rule, what if rule != "embed_table" else "", name, seconds=seconds)
    return _measured_training(rest, name, seconds, config)


def _measured_training(
    rest: tuple[str, ...], name: tuple[str, ...], seconds: float, config: dict
) -> Work | None:
    """Return a training with the epochs it took, or None where its record is gone or its model is unknown."""
    access, cohort, model, *_ = rest
    folder = RESULTS.joinpath(access, "risk", *rest[1:])
    try:
        history, run = read_json(folder / "history.json"), read_json(folder / "run.json")
        kind = config["risk"]["models"][model]["kind"]
    except (UserError, OSError, KeyError):
        return None
    fresh = 1 - run["reused"] / run["trainings"] if run.get("trainings") else 0
    epochs = sum(len(record["epochs"]) for record in history) * fresh
    return Work(TRAINING, kind, name, epochs * run["n"] / 1000, seconds=seconds) if epochs else None
