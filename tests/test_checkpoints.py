"""A state comes back as it was written, or as none: no damage is loaded, and none ends a training."""

import subprocess
import sys

import pytest
import torch

from clinbench.checkpoints import read_facts, read_state, seconds_kept, write_state
from tests.paths import ROOT

FACTS = {"seconds": 1.5, "history": [{"score": None, "loss": 0.1}], "best": float("inf")}


def tensors():
    shared = torch.arange(6.0)
    return {
        "model.a": torch.tensor([[1.0, -2.0], [0.0, float("nan")]]),
        "model.b": shared,
        "best.b": shared,
        "half": torch.tensor([0.5], dtype=torch.bfloat16),
        "total": torch.tensor(3.0),
        "flags": torch.tensor([True, False]),
        "none": torch.zeros(0, 3),
        "random": torch.arange(5, dtype=torch.uint8),
    }


def same(found, expected):
    return found.keys() == expected.keys() and all(
        found[name].dtype == tensor.dtype and torch.equal(found[name].nan_to_num(7), tensor.nan_to_num(7))
        for name, tensor in expected.items()
    )


def test_a_state_comes_back(tmp_path):
    write_state(tmp_path / "s", tensors(), FACTS)
    found, facts = read_state(tmp_path / "s", ["history", "total"])
    assert facts == FACTS and same(found, tensors())
    assert [file.name for file in tmp_path.iterdir()] == ["s"]


def test_the_same_state_has_the_same_bytes_in_any_process(tmp_path):
    write = (
        "import sys; from pathlib import Path; from clinbench.checkpoints import write_state;"
        "from tests.test_checkpoints import FACTS, tensors; write_state(Path(sys.argv[1]), tensors(), FACTS)"
    )
    write_state(tmp_path / "s", tensors(), FACTS)
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'workflow_scripts'}", "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", write, tmp_path / "other"], env=environment, check=True)
    assert (tmp_path / "other").read_bytes() == (tmp_path / "s").read_bytes()


@pytest.mark.parametrize("bit", [0, 3, 5, 6])
def test_no_flipped_bit_is_loaded(tmp_path, capsys, bit):
    write_state(tmp_path / "s", tensors(), FACTS)
    whole, refused = (tmp_path / "s").read_bytes(), 0
    for at in range(len(whole)):
        content = bytearray(whole)
        content[at] ^= 1 << bit
        (tmp_path / "s").unlink()
        (tmp_path / "s").write_bytes(content)
        found = read_state(tmp_path / "s")
        assert found is None or (found[1] == FACTS and same(found[0], tensors())), at
        refused += found is None
        assert seconds_kept([tmp_path / "s"]) == (0.0 if found is None else 1.5)
    assert refused > 0.95 * len(whole)  # the rest are blanks of the header
    assert capsys.readouterr().err.count("cannot be read") == 2 * refused


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 0.99])
def test_a_cut_state_is_none(tmp_path, share):
    write_state(tmp_path / "s", tensors(), FACTS)
    whole = (tmp_path / "s").read_bytes()
    (tmp_path / "s").write_bytes(whole[: int(share * len(whole))])
    assert read_state(tmp_path / "s") is None and read_facts(tmp_path / "s") is None


def test_a_state_without_what_is_needed_is_none(tmp_path, capsys):
    write_state(tmp_path / "s", tensors(), FACTS)
    assert read_state(tmp_path / "s", ["history", "trainer", "random.cpu"]) is None
    assert "it lacks random.cpu, trainer" in capsys.readouterr().err
    write_state(tmp_path / "s", tensors(), {"history": []})
    assert read_facts(tmp_path / "s") is None and seconds_kept([tmp_path / "s"]) == 0


def test_no_state_is_no_message(tmp_path, capsys):
    assert read_state(tmp_path / "s") is None and seconds_kept([tmp_path / "s"]) == 0
    assert capsys.readouterr().err == ""
