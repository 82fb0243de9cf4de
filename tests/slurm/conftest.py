"""A SLURM on this machine, and the profile of the suite fitted to it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.paths import ROOT
from tests.runs import copy_checkout

SCRIPT = Path(__file__).with_name("cluster.sh")
NO_PACKAGES = 77  # exit status of the script
FITTED = {
    "slurm-status-command": "squeue",  # there is no accounting database
    "slurm-init-seconds-before-status-checks": 2,
    "seconds-between-status-checks": 2,
    "latency-wait": 20,
    "retries": 0,
    "default-resources": {"slurm_partition": "'ci'", "slurm_account": "'none'"},
}


def why_not() -> str | None:
    if os.environ.get("CLINBENCH_SLURM_TEST") != "1":
        return "installs and configures SLURM on this machine: make test-slurm"
    if os.geteuid() != 0:
        return "needs root: SLURM is configured in /etc and its daemons change users"
    if not shutil.which("apt-get"):
        return "needs Debian's packages slurm-wlm and munge"
    return None


def pytest_collection_modifyitems(items):
    reason = why_not()
    for item in items:
        if reason and SCRIPT.parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def cluster():
    try:
        done = subprocess.run(
            ["bash", SCRIPT, "start"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        if done.returncode == NO_PACKAGES:
            pytest.skip("Debian's packages slurm-wlm and munge could not be installed")
        assert done.returncode == 0, done.stdout
        yield
    finally:
        subprocess.run(["bash", SCRIPT, "stop"], timeout=60, check=True)


@pytest.fixture(scope="session")
def profile(tmp_path_factory):
    """Write the suite's SLURM profile with what a site edits and shorter waits, and return its folder."""
    folder = tmp_path_factory.mktemp("profile")
    options = yaml.safe_load((ROOT / "profiles/slurm/profile.yaml").read_text())
    (folder / "profile.yaml").write_text(yaml.safe_dump(options | FITTED))
    return folder


@pytest.fixture(scope="session")
def checkouts(tmp_path_factory):
    """Return two copies of the checkout with the tiny configuration: to run locally, and on the cluster."""
    folders = [copy_checkout(tmp_path_factory.mktemp(name)) for name in ("local", "cluster")]
    for folder in folders:
        shutil.copy(SCRIPT.with_name("tiny.yaml"), folder)
    return folders
