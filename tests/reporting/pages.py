"""A small set of results on disk, and the report of it."""

import csv
import io
import json

from clinbench.reporting.layouts import MORTALITY, RETRIEVAL
from clinbench.reporting.page.cards import cards
from clinbench.reporting.page.page import figure_part, page, table_part
from clinbench.reporting.page.verdicts import read_verdicts
from clinbench.reporting.style import new_figure, write
from clinbench.reporting.table import build

HOSTILE = """</script><script>alert(1)</script><img src=x onerror=alert(1)> "' | `x` {{ 7 * 7 }} <b>"""
COMMAND = "snakemake {target} --configfile presets/smoke.yaml"
METRICS = "results/metrics/risk/cohort_a/lstm/bce.json"


def claim(**changes):
    """Make one line of the ledger."""
    given = {
        "claim": "c1", "paper": "SCEHR", "sentence": "A beats B", "verdict": "replicated", "difference": 0.01,
        "low": 0.001, "high": 0.02, "p_holm": 0.01, "n": 5000, "seeds": 5,
        "training_draws": 0, "dataset": "cohort_a", "model": "lstm",
        "setting": "the paper's data", "why": "it does", "published_first": 0.8, "published_second": 0.79,
    }  # fmt: skip
    return given | changes


def write_results(root, risk_record, coding_record):
    """Return a function that writes two tables and a figure below ``root`` and returns the page of them."""

    def make(name="bce", claims=None, synthetic=False, reason=""):
        facts = {"title": f"Cohort {name}", "synthetic": synthetic}
        records = [risk_record(name, facts=facts), risk_record("gbt", facts=facts, value=0.9)]
        records.append(risk_record("cbce", facts=facts, value=0.7))
        absent = [{"dataset": "cohort_a", "model": "mortality_lstm", "system": "csce", "reason": name}]
        if reason:
            for row in records[0]["rows"]:
                row |= {"published": 0.8, "comparable": "no"}
        made = {"mortality_lstm": build([*records, {"absent": absent}], MORTALITY)}
        made["coding_terms"] = build([coding_record(name)], RETRIEVAL)
        run = {**records[0]["provenance"][0], "selection": name, "made_of": [METRICS]}
        for stem, table in made.items():
            notes = f"\n\n<sup>z</sup> not comparable: {reason}.\n" if reason else ""
            _put(root / f"tables/{stem}.md", table.to_markdown() + notes)
            _put(root / f"tables/{stem}.csv", table.to_csv())
            _put(root / f"tables/{stem}.tex", table.to_latex())
            _put(root / f"tables/{stem}.run.json", json.dumps(run))
        (root / "figures").mkdir(exist_ok=True)
        write(
            lambda: new_figure(1, 1), root / "figures/scr_weights_x.pdf", root / "figures/scr_weights_x.png"
        )
        _put(root / "caption.rst", f"Weights of {name}. What it shows.")
        manifest = {
            "git_commit": "0" * 40,
            "git_dirty": True,
            "config_hash": name,
            "environment": {"hash": "e", "python": "3.11", "system": "Linux"},
            "jobs": {name: {"jobs": 1, "wall_seconds": 2.0}},
            "wall_seconds": 2.0,
            "command": "snakemake all",
        }
        metrics = {METRICS: records[:1]}
        untested = claim(verdict="not testable here")
        told = {"cohort_a": {"access": "open", "sources": [name], "options": {"o": name}}}
        return page(
            [
                table_part(root, f"tables/{stem}", f"results/tables/{stem}.tex", COMMAND, metrics)
                for stem in made
            ],
            [
                figure_part(
                    root,
                    "figures/scr_weights_x",
                    "results/figures/scr_weights_x.pdf",
                    COMMAND,
                    root / "tables/mortality_lstm.run.json",
                    str(root / "caption.rst"),
                )
            ],
            cards([records[0]], told),
            _ledger(root, [claim(sentence=name, why=name), untested] if claims is None else claims),
            manifest,
            {"figures/tsne.png": [name]},
        )

    return make


def _ledger(root, claims):
    """Write the ledger's CSV, and read it as the page does."""
    if not claims:
        return None
    out = io.StringIO()
    writer = csv.DictWriter(out, claims[0])
    writer.writeheader()
    writer.writerows(claims)
    _put(root / "claims.csv", out.getvalue())
    _put(root / "claims.md", "text")
    _put(root / "claims.run.json", (root / "tables/mortality_lstm.run.json").read_text())
    part = table_part(root, "claims", "results/claims.tex", COMMAND, {})
    return part, read_verdicts(root / "claims.csv")


def _put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
