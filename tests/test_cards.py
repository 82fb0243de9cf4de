"""Cards are leased: never two jobs on one, free again however a job ends, SLURM's own choice untouched."""

import os
import signal
import subprocess
import sys

import pytest
import torch

from clinbench import cards
from clinbench.errors import UserError
from tests.paths import ROOT

JOB = """
import sys, time
from clinbench.cards import lease_card
print(lease_card(sys.argv[1], poll=0.02), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def alone(monkeypatch):
    """This process holds no card, sees two, and is in no SLURM job."""
    for name in (cards.HELD, "SLURM_JOB_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(cards.VISIBLE, "0,1")
    return monkeypatch


@pytest.fixture
def start(alone, tmp_path):
    """Start jobs that lease a card and hold it until their input closes."""
    started = []

    def job(**environment):
        process = subprocess.Popen(
            [sys.executable, "-c", JOB, tmp_path],
            env=os.environ | {"PYTHONPATH": str(ROOT / "workflow_scripts")} | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield job
    for process in started:
        process.kill()
        process.communicate()


def test_three_jobs_on_two_cards_take_turns(start):
    first, second = start(), start()
    taken = {job.stdout.readline().strip() for job in (first, second)}
    assert taken == {"0", "1"}
    third = start()
    assert third.stderr.readline() == "Waiting for a card: other jobs hold 0, 1.\n"
    second.send_signal(signal.SIGKILL)
    second.wait()
    freed = third.stdout.readline().strip()
    assert {freed} | {"0", "1"} - taken <= {"0", "1"} and first.poll() is None
    assert start().stderr.readline().startswith("Waiting")


def test_a_leased_card_is_the_only_one_seen_here_and_in_children(alone, tmp_path):
    assert cards.lease_card(tmp_path) == "0"
    assert os.environ[cards.VISIBLE] == "0"
    assert cards.lease_card(tmp_path) == "0"  # held already: no second lease, no deadlock


def test_the_users_cards_are_leased_by_the_names_they_were_given(alone, tmp_path):
    alone.setenv(cards.VISIBLE, " MIG-GPU-1f/2/0 ,3")
    assert cards.lease_card(tmp_path) == "MIG-GPU-1f/2/0"
    assert [path.name for path in tmp_path.iterdir()] == ["clinbench-gpu-MIG-GPU-1f_2_0.lock"]


def test_without_a_list_all_cards_of_the_machine_are_looked_at(alone, tmp_path):
    alone.delenv(cards.VISIBLE)
    alone.setattr(torch.cuda, "device_count", lambda: 3)
    assert cards.visible_cards() == ["0", "1", "2"]
    assert cards.lease_card(tmp_path) == "0" and os.environ[cards.VISIBLE] == "0"


@pytest.mark.parametrize("named", ["", "-1"])
def test_hidden_cards_are_not_leased(alone, tmp_path, named):
    alone.setenv(cards.VISIBLE, named)
    assert cards.lease_card(tmp_path) is None
    assert os.environ[cards.VISIBLE] == named and not list(tmp_path.iterdir())


def test_the_card_slurm_gave_is_taken_as_it_is(alone, tmp_path, start):
    alone.setenv("SLURM_JOB_ID", "77")
    alone.setenv(cards.VISIBLE, "1")
    jobs = [start(), start()]  # SLURM counts cards from 0 in every job where it hides the others
    assert [job.stdout.readline().strip() for job in jobs] == ["1", "1"]
    assert not list(tmp_path.iterdir())


def test_jobs_inside_one_allocation_of_several_cards_are_parted(start):
    inside = {"SLURM_JOB_ID": "77"}
    jobs = [start(**inside), start(**inside), start(SLURM_JOB_ID="78")]
    first, second, other = (job.stdout.readline().strip() for job in jobs)
    assert {first, second} == {"0", "1"} and other == "0"


def test_a_lock_that_cannot_be_opened_is_told(alone, tmp_path):
    (tmp_path / "clinbench-gpu-0.lock").symlink_to("nowhere")
    with pytest.raises(UserError, match=r"clinbench-gpu-0\.lock"):
        cards.lease_card(tmp_path)
