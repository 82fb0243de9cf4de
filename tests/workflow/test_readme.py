"""Every snakemake command that README and docs show is planned as typed, and lint is clean."""

import re
import shlex

import pytest
from tests.paths import ROOT
from tests.runs import run_snakemake

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(?:bash|sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands():
    """Collect the snakemake lines of all shell blocks, without comments and repeats."""
    lines = [
        line.split(" #")[0].strip()
        for page in PAGES
        for block in FENCE.findall(page.read_text(encoding="utf-8"))
        for line in block.replace("\\\n", " ").splitlines()
    ]
    return list(dict.fromkeys(line for line in lines if line.startswith("snakemake ")))


@pytest.mark.parametrize("command", commands())
def test_command_is_planned(command, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/mentions.tsv").write_text("query\ncough\n")
    (tmp_path / "data.tsv").write_text("code\ttext\nR05\tcough\n")
    words = shlex.split(re.sub(r"/path/to/[\w-]+", str(tmp_path / "data"), command))[1:]
    relative = [str(ROOT / word) if word.startswith(("presets/", "profiles/")) else word for word in words]
    dry = [] if "--lint" in words or "--unlock" in words else ["-n"]
    done = run_snakemake(*relative, *dry, "--snakefile", ROOT / "Snakefile", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_there_are_commands():
    found = commands()
    assert "snakemake all --cores 16 --resources gpu=1" in found
    assert "snakemake results/tables/mortality_lstm.tex" in found
    assert "snakemake --lint" in found
