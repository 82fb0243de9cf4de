"""Seeds, devices and threads."""

import doctest
import subprocess
import sys

import pytest
import torch

from clinbench import runtime
from clinbench.errors import UserError
from tests.paths import ROOT


def test_cell_seeds_are_stable_and_distinct():
    assert doctest.testmod(runtime).failed == 0
    assert runtime.cell_seed("a", 1) != runtime.cell_seed("a1")
    assert 0 <= runtime.cell_seed("x") < 2**31


def test_seeded_gives_the_callers_state_back():
    torch.manual_seed(5)
    expected = torch.rand(2)
    torch.manual_seed(5)
    with runtime.seeded(1):
        inside = torch.rand(1)
    assert torch.equal(torch.rand(2), expected)
    with runtime.seeded(1):
        assert torch.equal(torch.rand(1), inside)


@pytest.mark.parametrize(
    ("device", "present", "gpus"),
    [("cuda", False, 1), ("cpu", True, 0), ("auto", True, 1), ("auto", False, 0)],
)
def test_a_gpu_is_asked_for_only_where_it_makes_sense(monkeypatch, device, present, gpus):
    monkeypatch.setattr(runtime, "cuda_present", lambda: present)
    assert runtime.gpus_per_job(device) == gpus


def test_cuda_is_used_if_and_only_if_granted(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert runtime.torch_device(0, 1) == "cpu"
    assert runtime.torch_device(1, 1) == "cuda"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match="device: cpu"):
        runtime.torch_device(1, 1)


def test_threads_never_exceed_the_machine():
    assert runtime.usable_threads(10_000) <= 10_000 // 2
    assert runtime.usable_threads(0) == 1


def test_libraries_that_ask_once_take_the_granted_threads():
    code = "import clinbench, polars, numba; print(polars.thread_pool_size(), numba.get_num_threads())"
    environment = {
        "PYTHONPATH": str(ROOT / "workflow_scripts"),
        "OMP_NUM_THREADS": "1",
        "POLARS_MAX_THREADS": "2",
    }
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["1", "1"], done.stderr
