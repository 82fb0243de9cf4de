"""The open MIMIC-III demo, where it is at hand: MIMIC3_DEMO and MIMIC3_RESOURCES name the two folders."""

import csv
import lzma
import os
from pathlib import Path

import pytest
import yaml
from tests.mimic3 import literal
from tests.mimic3.compare import differences
from tests.mimic3.tables import COLUMNS

from clinbench.cohorts import mimic3
from clinbench.defaults import with_defaults

DEMO, RESOURCES = (os.environ.get(name) for name in ("MIMIC3_DEMO", "MIMIC3_RESOURCES"))
pytestmark = pytest.mark.skipif(
    not (DEMO and RESOURCES), reason="MIMIC3_DEMO and MIMIC3_RESOURCES are not set"
)


@pytest.fixture(scope="module", params=["reference", "clean"])
def built(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    given = {"write_benchmark_folders": str(folder / "benchmark")}
    options = with_defaults(mimic3.OPTIONS, given, request.param)
    data = {"mimic3": Path(DEMO), "mimic3_resources": Path(RESOURCES)}
    (folder / "prepared").mkdir()
    return request.param, mimic3.prepare_cohort(data, options, folder / "prepared"), folder / "benchmark"


def test_the_known_counts(built):
    preset, summary, _ = built
    assert [rule["stays"] for rule in summary["funnel"]] == [136, 126, 115, 114]
    events = ("of_patients", "without_admission", "of_other_admissions", "of_other_stays", "valid")
    assert [summary["events"][f"events_{name}"] for name in events] == [747793, 13184, 86481, 1200, 646928]
    assert summary["events"]["icustay_ids_recovered"] == 45336
    sizes = {name: list(splits.values()) for name, splits in summary["sizes"].items()}
    assert sizes["mortality stays"] == [41, 5, 11] and sizes["mortality deaths"] == [10, 2, 5]
    assert sizes["phenotyping stays"] == [81, 14, 18]
    if preset == "reference":
        assert (summary["cells"]["cells"], summary["cells"]["times"]) == (94022, 17663)
        assert summary["cells"]["rows_before_stay"] + summary["cells"]["rows_after_stay"] == 824
    else:
        changed = summary["changed_against_the_reference"]
        assert changed["ties"] == {"cells": 302, "stays": 32}
        assert changed["diagnoses"] == {"cells": 9, "stays": 8}
        assert changed["diagnosis_flags"]["stays"] == 39


def test_the_reference_cell_by_cell(built):
    preset, _, folder = built
    if preset != "reference":
        return
    tables = {name: literal.read(Path(DEMO), name, lzma.open, ".xz") for name in COLUMNS}
    with open(Path(RESOURCES) / "itemid_to_variable_map.csv") as handle:
        rows = [row for row in csv.DictReader(handle) if row["STATUS"] == "ready"]
    items = {row["ITEMID"]: (row["LEVEL2"], row["MIMIC LABEL"]) for row in rows}
    definitions = yaml.safe_load((Path(RESOURCES) / "hcup_ccs_2015_definitions.yaml").read_text())
    groups = {code: name for name, entry in definitions.items() for code in entry["codes"]}
    labels = sorted(name for name, entry in definitions.items() if entry["use_in_benchmark"])
    splits = [
        {
            line.split(",")[0]
            for line in (Path(RESOURCES) / f"{name}.csv").read_text().split()
            if line.endswith(",1")
        }
        for name in ("testset", "valset")
    ]
    found, compared = differences(folder, literal.run(tables, items, groups, labels, *splits), splits[0])
    assert not found and compared == 94022
    eyes = [
        row["Glascow coma scale eye opening"] == "None"
        for path in folder.glob("root/*/*/*_timeseries.csv")
        for row in csv.DictReader(path.read_text().splitlines())
    ]
    assert sum(eyes) == 438
