"""The reference preset equals the benchmark's steps done row by row, cell by cell."""

import numpy as np
import polars as pl
import pytest
from tests.mimic3 import literal, tables
from tests.mimic3.compare import differences

from clinbench.cohorts import mimic3, mimic3_benchmark
from clinbench.cohorts.mimic import events
from clinbench.cohorts.phenotypes import NAMES
from clinbench.defaults import with_defaults

SPLITS = ("train", "val", "test")


def lower(made):
    return {
        name: [{key.lower(): value for key, value in row.items()} for row in rows]
        for name, rows in made.items()
    }


def run_literal(made):
    test, val = ({str(patient) for patient in members} for members in (tables.TEST, tables.VAL))
    complete = {
        name: [{column: row.get(column, "") for column in tables.COLUMNS[name].split()} for row in rows]
        for name, rows in made.items()
    }
    for row in complete["LABEVENTS"]:
        row.pop("ICUSTAY_ID", None)
    groups = tables.literal_groups()
    return (
        literal.run(lower(complete), tables.literal_items(), groups, NAMES, test, val),
        lower(complete),
        test,
    )


@pytest.mark.parametrize("seed", range(4))
def test_folders_equal_the_literal_version(prepare, tmp_path, seed, monkeypatch):
    monkeypatch.setattr(events, "PART", 150)  # several parts, as the full data have
    made = tables.make_tables(seed)
    wanted, complete, test = run_literal(made)
    target = tmp_path / "benchmark"
    summary, load = prepare(made, "reference", write_benchmark_folders=str(target))
    found, compared = differences(target, wanted, test)
    assert not found and compared > 400
    assert [rule["stays"] for rule in summary["funnel"]] == wanted["funnel"]
    _, counts = literal.validated(complete, wanted["stays"])
    assert {name: summary["events"][name] for name in counts} == dict(counts)
    assert summary["changed_against_the_reference"] == {}
    for task, folder in (("mortality", "in-hospital-mortality"), ("phenotyping", "phenotyping")):
        sizes = {
            name: sum(split == name for split, *_ in wanted["tasks"][folder].values()) for name in SPLITS
        }
        assert summary["sizes"][f"{task} stays"] == sizes


@pytest.mark.parametrize("preset", ["clean", "reference"])
def test_tensors_equal_those_read_from_the_folders(prepare, tmp_path, monkeypatch, preset):
    monkeypatch.setattr(events, "PART", 300)
    target = tmp_path / "benchmark"
    _, load = prepare(1, preset, write_benchmark_folders=str(target))
    options = with_defaults(mimic3_benchmark.OPTIONS, {}, preset)
    for task in mimic3_benchmark.TASKS:
        read = mimic3_benchmark.load({"mimic3_benchmark": target}, options, None, task)
        built = load(task)
        for name in ("stays", "patients", "split", "labels", "offsets", "statics", "values"):
            assert np.array_equal(getattr(built, name), getattr(read, name)), name
        assert built.fingerprint() == read.fingerprint()
        assert built.info["normaliser"] == read.info["normaliser"]
        assert built.info["observed_share_of_hours"] == read.info["observed_share_of_hours"]


def test_the_other_tables_of_root(prepare, tmp_path):
    made = tables.make_tables(1)
    wanted, _, _ = run_literal(made)
    target = tmp_path / "benchmark"
    prepare(made, "reference", write_benchmark_folders=str(target))
    stays = pl.read_csv(target / "root/all_stays.csv")
    assert stays["ICUSTAY_ID"].to_list() == [int(stay["icustay_id"]) for stay in wanted["stays"]]
    assert np.allclose(stays["AGE"], [stay["age"] for stay in wanted["stays"]], atol=1e-9, rtol=0)
    assert stays["MORTALITY_INUNIT"].to_list() == [stay["unit"] for stay in wanted["stays"]]
    assert stays["MORTALITY"].to_list() == [stay["hospital"] for stay in wanted["stays"]]
    assert stays["DIAGNOSIS"][0] == 'SEPSIS, "SEVERE"'
    codes = pl.read_csv(target / "root/all_diagnoses.csv", schema_overrides={"ICD9_CODE": str})
    counts = pl.read_csv(target / "root/diagnosis_counts.csv", schema_overrides={"ICD9_CODE": str})
    assert dict(counts.select("ICD9_CODE", "COUNT").iter_rows()) == dict(
        codes["ICD9_CODE"].value_counts().iter_rows()
    )
    assert "unknown" not in codes["ICD9_CODE"].to_list() and "0389" in codes["ICD9_CODE"].to_list()
    matrix = pl.read_csv(target / "root/phenotype_labels.csv")
    assert matrix.height == stays.height and matrix.columns == sorted(matrix.columns)
    one = next(iter(target.glob("root/train/*/events.csv")))
    assert one.read_text().startswith("SUBJECT_ID,HADM_ID,ICUSTAY_ID,CHARTTIME,ITEMID,VALUE,VALUEUOM\n")
    written = sum(pl.read_csv(path, infer_schema=False).height for path in target.glob("root/*/*/events.csv"))
    assert written == run_counts(made, wanted)


def run_counts(made, wanted):
    _, complete, _ = run_literal(made)
    return literal.validated(complete, wanted["stays"])[1]["events_valid"]


def test_new_stays_are_read_as_the_trained_cohort(prepare, tmp_path):
    target = tmp_path / "benchmark"
    _, load = prepare(1, write_benchmark_folders=str(target))
    trained = load("mortality")
    new = mimic3.read_stays(target / "in-hospital-mortality/test", trained.info, {}, "mortality")
    tested = trained.select("test")
    assert new.stays.tolist() == tested.stays.tolist()
    assert np.array_equal(new.values, tested.values) and np.array_equal(new.labels, tested.labels)
