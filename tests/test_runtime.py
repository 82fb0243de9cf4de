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
    ("device", "present", "cluster", "gpus"),
    [
        *(
            ("cuda", False, False, 1),
            ("cuda", False, True, 1),
            ("cpu", True, False, 0),
            ("cpu", True, True, 0),
        ),
        *(("auto", True, False, 1), ("auto", False, False, 0), ("auto", False, True, 1)),
    ],
)
def test_a_gpu_is_asked_for_only_where_it_makes_sense(monkeypatch, device, present, cluster, gpus):
    monkeypatch.setattr(runtime, "cuda_present", lambda: present)
    assert runtime.gpus_per_job(device, cluster) == gpus


@pytest.mark.parametrize(
    ("resources", "gpus"),
    [
        ({}, 0),
        ({"gpu": 0}, 0),
        ({"gpu": 1}, 1),
        ({"gpu": 0, "gres": "gpu:a100:1"}, 1),
        ({"gres": "disk:1"}, 0),
    ],
)
def test_a_gpu_is_granted_under_either_name(resources, gpus):
    assert runtime.granted_gpus(resources) == gpus


def test_cuda_is_used_if_and_only_if_granted_and_after_the_lease(monkeypatch):
    asleep = []
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    monkeypatch.setattr(runtime, "lease_card", lambda: asleep.append("leased"))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: asleep == ["leased"])
    assert runtime.torch_device(0, 1) == "cpu" and not asleep
    assert runtime.torch_device(1, 1) == "cuda"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match="CUDA_VISIBLE_DEVICES=7.*device: cpu"):
        runtime.torch_device(1, 1)


def test_precision_is_the_configs_on_a_gpu_and_fp32_on_a_cpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: False)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Old Card")
    assert runtime.usable_precision("cpu", "bf16") == "fp32"
    assert runtime.usable_precision("cuda", "fp32") == "fp32"
    with pytest.raises(UserError, match="Old Card.*precision: fp32"):
        runtime.usable_precision("cuda", "bf16")
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: True)
    assert runtime.usable_precision("cuda", "bf16") == "bf16"


def test_bf16_computes_in_bf16_and_leaves_the_weights():
    layer, x = torch.nn.Linear(3, 2), torch.full((1, 3), 1 / 3)
    with runtime.autocast("cpu", "fp32"):
        assert layer(x).dtype == torch.float32
    with runtime.autocast("cpu", "bf16"):
        assert layer(x).dtype == torch.bfloat16
    assert layer.weight.dtype == torch.float32


def test_a_record_names_the_card_only_where_there_is_one(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Card")
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda: 5 * 2**20 + 1)
    assert runtime.compute_facts("cpu", None) == {"device": "cpu"}
    assert runtime.compute_facts("cpu", "fp32") == {"device": "cpu", "precision": "fp32"}
    asked = {"device": "cuda", "precision": "bf16", "gpu": "Card", "gpu_peak_mib": 5}
    assert runtime.compute_facts("cuda", "bf16") == asked


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
