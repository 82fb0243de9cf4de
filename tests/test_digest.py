"""Digests: code that matters changes them, all else does not."""

import pytest

from clinbench import digest

LOSS = '''"""Doc."""
from clinbench import base
def loss(x):
    """Doc."""
    return x + base.ONE
'''


@pytest.fixture
def tree(tmp_path, monkeypatch):
    (tmp_path / "clinbench").mkdir()
    for name, text in {
        "train.py": "from clinbench.loss import loss\n",
        "clinbench/loss.py": LOSS,
        "clinbench/base.py": "ONE = 1\n",
        "clinbench/other.py": "TWO = 2\n",
        "clinbench/files.py": "MODE = 'w'\n",
        "clinbench/typed.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from clinbench import other\n",
    }.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(digest, "SCRIPTS", tmp_path)
    yield tmp_path
    forget()


def forget():
    for remembered in (digest.code_digest, digest._parsed, digest._module_file):
        remembered.cache_clear()


def of(*modules):
    forget()
    return digest.code_digest("train.py", *modules)


def edit(path, old, new):
    path.write_text(path.read_text().replace(old, new))


def test_an_edit_two_imports_away_changes_it(tree):
    before = of()
    edit(tree / "clinbench/base.py", "1", "2")
    assert of() != before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("clinbench/loss.py", "Doc.", "Another docstring."),
        ("clinbench/base.py", "ONE = 1", "ONE   =   1  # why"),
        ("clinbench/other.py", "2", "3"),
        ("clinbench/loss.py", "from clinbench import base\n", "from clinbench import base\n\n\n"),
    ],
    ids=["docstring", "comment and layout", "unrelated module", "blank lines"],
)
def test_what_cannot_change_a_number_does_not(tree, file, old, new):
    before = of()
    edit(tree / file, old, new)
    assert of() == before


def test_plugins_named_at_run_time_count(tree):
    before = of("clinbench.other")
    edit(tree / "clinbench/other.py", "2", "3")
    assert of("clinbench.other") != before


def test_neutral_modules_do_not_count(tree):
    edit(tree / "clinbench/loss.py", "from clinbench import base", "from clinbench import base, files")
    before = of()
    edit(tree / "clinbench/files.py", "'w'", "'wb'")
    assert of() == before


def test_what_only_annotations_need_does_not_count(tree):
    before = of("clinbench.typed")
    edit(tree / "clinbench/other.py", "2", "3")
    assert of("clinbench.typed") == before
    edit(tree / "clinbench/typed.py", "if TYPE_CHECKING:\n    from", "from")
    assert of("clinbench.typed") != before


def test_it_is_worked_out_once(tree):
    first = of("clinbench.other")
    assert digest.code_digest("train.py", "clinbench.other") == first
    assert digest.code_digest.cache_info().hits == 1


def test_value_digest_ignores_key_order():
    assert digest.value_digest({"a": 1, "b": 2}) == digest.value_digest({"b": 2, "a": 1})
    assert digest.value_digest({"a": 1}) != digest.value_digest({"a": "1"})


def test_a_stricter_rule_for_small_cells_makes_shared_outputs_again(monkeypatch):
    scripts = [file.name for file in digest.SCRIPTS.glob("*.py") if "shared(snakemake" in file.read_text()]
    assert len(scripts) >= 10
    forget()
    before = {script: digest.code_digest(script) for script in scripts}
    trained = digest.code_digest("train_risk.py")
    forget()
    parsed = digest._parsed
    rule = digest.SCRIPTS / "clinbench/governance.py"
    monkeypatch.setattr(
        digest, "_parsed", lambda file: parsed(file) if file != rule else ("SMALLEST = 20", parsed(file)[1])
    )
    assert [script for script in scripts if digest.code_digest(script) == before[script]] == []
    assert digest.code_digest("train_risk.py") == trained
    monkeypatch.undo()
    forget()
