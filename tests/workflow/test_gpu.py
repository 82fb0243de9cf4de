"""What GPU rules ask for: by flag, by configuration, locally and on a cluster; and what every job asks for."""

import os
import re
from collections import defaultdict

import pytest
from snakemake.cli import args_to_api, parse_args
from tests.paths import ROOT

from clinbench import runtime

SLURM = ("--workflow-profile", ROOT / "profiles/slurm")
GPU_RULES = {
    *("train_risk", "measure_running_time", "train_system", "run_system"),
    *("embed_table", "embed_trained", "mine_groups", "mine_own_groups"),
}
BLOCK = re.compile(r"^(?:local)?rule (\w+):\n(?:    .*\n)*?    resources: (.*)$", re.MULTILINE)


@pytest.fixture
def planned(tmp_path, monkeypatch, capfd):
    """Plan in this process and return the resources of every job, by rule."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    os.environ.pop("CLINBENCH_GPUS", None)

    def plan(*arguments, cards=False, target="all"):
        monkeypatch.setattr(runtime, "cuda_present", lambda: cards)
        words = [target, *arguments, "-n", "--snakefile", ROOT / "Snakefile"]
        parser, args = parse_args([str(word) for word in words])
        assert args_to_api(args, parser), capfd.readouterr()
        jobs = defaultdict(list)
        for rule, text in BLOCK.findall("".join(capfd.readouterr())):
            jobs[rule].append(dict(item.split("=", 1) for item in text.split(", ") if "=" in item))
        assert len(jobs) > 10
        return jobs

    return plan


def on_gpu(jobs):
    return {rule for rule, asked in jobs.items() for one in asked if one.get("gpu", "0") != "0"}


@pytest.mark.parametrize(
    ("arguments", "cards", "asked"),
    [
        ((), False, False),
        ((), True, True),
        (("--cores", "16", "--resources", "gpu=1"), True, True),
        (("--cores", "16", "--resources", "gpu=1"), False, False),
        (("--resources", "gpu=0"), True, False),
        (("--config", "device=cuda"), False, True),
        (("--config", "device=cuda", "--resources", "gpu=0"), False, False),
        (("--config", "device=cpu"), True, False),
        (SLURM, False, True),
        ((*SLURM, "--resources", "gpu=1"), False, True),
        ((*SLURM, "--resources", "gpu=0"), False, False),
        ((*SLURM, "--config", "device=cpu"), True, False),
        ((*SLURM, "--config", "seeds=[1]"), False, True),
        ((*SLURM, "--configfile", ROOT / "presets/smoke.yaml"), False, True),
    ],
)
def test_gpus_are_asked_for(planned, arguments, cards, asked):
    jobs = planned(*arguments, cards=cards)
    assert on_gpu(jobs) == (GPU_RULES if asked else set())
    if asked:
        assert sorted(one["gpu"] for one in jobs["run_system"]) == ["0", "1", "1", "1"]
        assert os.environ["CLINBENCH_GPUS"] == "1"


@pytest.mark.parametrize(
    ("arguments", "limit"), [((), 1), (("--resources", "gpu=2"), 2), (("--resources", "io=1"), None)]
)
def test_a_local_run_is_held_to_one_gpu_job_unless_told_otherwise(arguments, limit, monkeypatch):
    monkeypatch.chdir(ROOT)
    _, args = parse_args(["all", *arguments])
    given = args.resources.get("gpu").value
    assert given == limit


def test_the_cluster_is_held_to_no_number_of_gpu_jobs():
    _, args = parse_args(["all", *map(str, SLURM)])
    assert not args.resources and args.cores is None and args.executor == "slurm"


def test_a_site_names_type_partition_and_gres_for_gpu_jobs_only(planned):
    site = ("slurm_partition=cpu", "slurm_account=ours", "gpu_type=a100", "gpu_partition='big'")
    jobs = planned(*SLURM, "--default-resources", *site)
    for rule, asked in jobs.items():
        for one in asked:
            card = one.get("gpu") == "1"
            assert one["slurm_partition"] == ("big" if card else "cpu") and one["slurm_account"] == "ours"
            assert one.get("gpu_model") == ("a100" if card else None), rule
    jobs = planned(*SLURM, "--default-resources", "slurm_partition=cpu", "gpu_gres='gpu:v100:1'")
    assert on_gpu(jobs) == set()
    assert {rule for rule, asked in jobs.items() for one in asked if "gres" in one} == GPU_RULES
    assert sorted(one.get("gres", "") for one in jobs["run_system"]) == ["", *["gpu:v100:1"] * 3]
    assert all(runtime.granted_gpus({"gpu": 0, "gres": one["gres"]}) == 1 for one in jobs["train_risk"])


def test_jobs_follow_what_their_run_decided(planned, monkeypatch):
    from planning.machines import DECIDED, Machines

    class Workflow:
        class resource_settings:  # noqa: N801
            default_resources = None

        is_main_process = False

    monkeypatch.setenv(DECIDED, "0")
    assert Machines("cuda", Workflow).gpus == 0
    monkeypatch.setenv(DECIDED, "1")
    assert Machines("cpu", Workflow).on_gpu() == {"gpu": 1}
