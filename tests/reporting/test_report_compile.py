"""The tables in a journal's class, where a TeX engine is installed."""

import re
import shutil
import subprocess

import pytest
from tests.reporting.pages import HOSTILE

from clinbench.reporting.layouts import MORTALITY, RETRIEVAL
from clinbench.reporting.studies import phenotypes
from clinbench.reporting.table import build

PDFLATEX = shutil.which("pdflatex")
NAME = r"""a\b{c}$d_e 5% f&g#~i^<k>|[l]" λ"""  # of a row: long ones widen the table


def found(file):
    """Tell whether TeX finds a file."""
    finder = shutil.which("kpsewhich")
    return bool(finder) and subprocess.run([finder, file], capture_output=True).returncode == 0


def compiled(tables, documentclass, folder):
    """Compile a document of the tables and return its log."""
    packages = dict.fromkeys(name for table in tables for name in re.findall(r"usepackage\{(\w+)\}", table))
    missing = [name for name in packages if not found(f"{name}.sty")]
    if missing:
        pytest.skip(f"TeX lacks {', '.join(missing)}")
    head = documentclass + "".join(rf"\usepackage{{{name}}}" for name in packages)
    body = "\n".join([head, r"\begin{document}Text.", *tables, r"\end{document}"])
    (folder / "paper.tex").write_text(body)
    command = [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=200)
    assert done.returncode == 0, done.stdout[-2500:]
    assert (folder / "paper.pdf").read_bytes()[:4] == b"%PDF"
    return done.stdout


@pytest.fixture
def tables(risk_record, coding_record):
    """A plain, a wide and a tall table, with names that TeX would choke on."""
    labels = [f"Phenotype {at} {HOSTILE}"[:60] for at in range(25)]
    record = risk_record()
    record["facts"] |= {"positives": None, "label_positives": dict.fromkeys(labels, 9)}
    row = record["rows"][0] | {"task": "phenotyping"}
    record["rows"] = [row | {"subset": label} for label in labels]
    made = [
        build(
            [risk_record(NAME, facts={"title": HOSTILE}), risk_record("gbt", facts={"title": HOSTILE})],
            MORTALITY,
        ),
        build([coding_record(NAME), coding_record("cross_encoder", "minilm")], RETRIEVAL),
        build([record], phenotypes(["bce"])),
    ]
    return [table.to_latex() for table in made]


CLASSES = {  # with the files that each needs
    r"\documentclass[journal]{IEEEtran}": ("IEEEtran.cls", "ptmr7t.tfm", "utmr8a.pfb"),
    r"\documentclass{article}": ("article.cls",),
}


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("documentclass", CLASSES, ids=["IEEEtran", "article"])
def test_tables_compile(tables, documentclass, tmp_path):
    missing = [file for file in CLASSES[documentclass] if not found(file)]
    if missing:
        pytest.skip(f"TeX lacks {', '.join(missing)}")
    log = compiled(tables, documentclass, tmp_path)
    # A long name may push a table into the margin, not off the paper.
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide", log)]
    assert max(wide, default=0) < 72, wide
