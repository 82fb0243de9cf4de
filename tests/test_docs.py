"""Documentation that can go stale does not."""

import re

import pytest
import torch

from clinbench.options import page
from tests.paths import ROOT

PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_options_page_is_up_to_date():
    assert (ROOT / "docs/options.md").read_text() == page(), "run: make docs"


def test_the_readme_example_runs():
    (example,) = PYTHON.findall((ROOT / "README.md").read_text())
    names = {}
    exec(example, names)
    assert names["risk"].shape == (64,)
    assert names["encoder"].weight.grad.abs().sum() > 0


def test_the_loss_of_the_extending_page_works():
    (example,) = PYTHON.findall((ROOT / "docs/extending.md").read_text())
    names = {}
    exec(example, names)
    logits, labels = torch.randn(8), (torch.rand(8) < 0.5).float()
    plain = names["classification_loss"](logits, None, labels, gamma=0)
    assert plain.item() == pytest.approx(torch.nn.BCEWithLogitsLoss()(logits, labels).item(), abs=1e-6)
    assert names["anchors"](torch.ones(1, 4)).shape == (2, 4)


def test_the_pins_agree():
    pins = [line for line in (ROOT / "envs/requirements.txt").read_text().splitlines() if "==" in line]
    conda = re.findall(r"- (\S+==\S+)", (ROOT / "envs/suite.yaml").read_text())
    assert pins == conda
    assert "torch==2.13.0" in pins
    assert not [pin for pin in pins if "+" in pin]
    direct = re.findall(r"^([A-Za-z0-9-]+)", (ROOT / "envs/requirements.in").read_text(), re.MULTILINE)
    pinned = {pin.split("==")[0].lower().replace("_", "-") for pin in pins}
    assert not [name for name in direct if name.lower() not in pinned]
