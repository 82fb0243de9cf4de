"""What the report is told: commands that can be typed, captions of all figures, no path of this machine."""

import json
import re
import shlex
from pathlib import Path

import pytest
from tests.paths import ROOT

from planning.coding import CodingPlan
from planning.page import PagePlan
from planning.paired import PairedPlan
from planning.reports import ReportPlan
from planning.risk import RiskPlan
from planning.sharing import SharingPlan
from planning.studies import StudyPlan


@pytest.fixture
def pages(config):
    def plan(files=(), given=None):
        risk = RiskPlan(config)
        studies = StudyPlan(risk)
        reports = ReportPlan(risk, CodingPlan(config))
        sharing = SharingPlan(reports, studies, PairedPlan(reports, studies))
        return PagePlan(sharing, studies, str(ROOT), list(files), given or {})

    return plan


def test_a_command_is_what_a_user_types_without_paths_of_this_machine(pages):
    assert pages().command() == "snakemake {target}"
    given = {"data": {"codiesp": "/home/me/codiesp.zip"}, "seeds": [0, 1], "device": "cpu"}
    files = [ROOT / "presets/smoke.yaml", "/home/me/mine.yaml"]
    command = pages(files, given).command().format(target="results/tables/x.tex")
    assert shlex.split(command) == [
        *("snakemake", "results/tables/x.tex", "--configfile", "presets/smoke.yaml", "mine.yaml", "--config"),
        *("data={codiesp: /path/to/data}", "seeds=[0, 1]", "device=cpu"),
    ]


def test_every_shared_figure_has_a_caption(pages, config):
    config["risk"]["studies"] = [*config["risk"]["studies"], "imbalance"]
    figures = json.loads(pages().figures())
    assert len(figures) > 5
    for name, target, caption, record in figures:
        assert target == f"results/{name}.pdf" and record.endswith(".run.json")
        title, rest = Path(caption).read_text().split(". ", 1)
        assert 15 < len(title) < 80 and len(rest) > 60, name


def test_private_pictures_are_no_part_of_the_page(pages, config):
    config["risk"]["synthetic"]["access"] = "credentialed"
    plan = pages()
    assert not [path for path in plan.inputs() if "private" in path or "tsne" in path]
    assert json.loads(plan.data())["synthetic"]["access"] == "credentialed"


def test_cards_say_where_data_come_from(pages, config):
    config["data"]["physionet2012"] = "/home/me/physionet"
    config["risk"]["cohorts"] = ["synthetic", "physionet2012"]
    told = json.loads(pages().data())
    assert "ODC-BY" in told["physionet2012"]["sources"][0]
    assert told["physionet2012"]["options"]["train"] == "[a]"
    assert "no patient" in told["synthetic"]["sources"][0]
    assert "/home" not in json.dumps(told)


def test_snakemakes_own_report_has_a_category_and_caption_for_every_table_and_figure():
    flagged = 0
    for file in sorted((ROOT / "rules").glob("*.smk")):
        for flag in re.findall(r"report\(\s*\"(results/[^)]*)\)", file.read_text()):
            flagged += 1
            for key in ("caption", "category", "subcategory", "labels"):
                assert re.search(rf"\b{key}=", flag), (file.name, flag)
            (caption,) = re.findall(r'caption="(captions/\w+\.rst)"', flag)
            assert (ROOT / "rules" / caption).is_file(), caption
    assert flagged >= 18
    outputs = [
        line
        for file in (ROOT / "rules").glob("*.smk")
        for line in file.read_text().splitlines()
        if re.search(r'"results/(tables|figures|\{place\}figures)/[^"]*\.(tex|png)"', line)
    ]
    assert not [line for line in outputs if "=" in line], "a table or figure that is not marked with report()"
