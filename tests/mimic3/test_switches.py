"""Each switch on a case worked by hand: what the reference does, what clean does, how many cells differ."""

import csv

import numpy as np
import pytest
from tests.mimic3.tables import simple_tables

from clinbench.cohorts import mimic3_benchmark
from clinbench.cohorts.channels import FEATURES
from clinbench.cohorts.phenotypes import NAMES as PHENOTYPES
from clinbench.defaults import with_defaults

ALONE = {  # every switch as in the reference
    **{"ties": "text", "specimens": "any", "fio2": "all", "ages_over_89": "shifted"},
    **{"diagnoses": "dictionary", "diagnosis_flags": "numbers_lost"},
}


def series(target, name="root/train/1/episode1_timeseries.csv"):
    with open(target / name, newline="") as handle:
        return list(csv.DictReader(handle))


@pytest.fixture
def written(prepare, tmp_path):
    """Return a function: tables and options to the folder's first series, its episode row and the summary."""

    def run(tables, **options):
        target = tmp_path / "benchmark"
        summary, _ = prepare(tables, write_benchmark_folders=str(target), **(ALONE | options))
        with open(target / "root/train/1/episode1.csv", newline="") as handle:
            (row,) = csv.DictReader(handle)
        return series(target), row, summary

    return run


def column(rows, name):
    return [row[name] for row in rows]


def test_ties(written):
    events = [
        (16, 5, "8"),
        (16, 5, "13"),
        (7, 6, "15"),
        (7, 6, "9"),
        (5, 7, "To Pain"),
        (5, 7, "Spontaneously"),
    ]
    events += [(17, 8, "95"), (17, 8, "118"), (16, 9, "13"), (16, 9, "9"), (16, 9, "13")]
    rows, _, _ = written(simple_tables(events))
    assert column(rows, "Respiratory rate") == ["", "8", "", "", "", "9"]
    assert rows[2]["Glascow coma scale total"] == "9"
    assert rows[3]["Glascow coma scale eye opening"] == "To Pain"
    assert rows[4]["Systolic blood pressure"] == "118.0"
    rows, _, summary = written(simple_tables(events), ties="number")
    assert column(rows, "Respiratory rate") == ["", "13", "", "", "", "13"]
    assert rows[2]["Glascow coma scale total"] == "15"
    assert rows[3]["Glascow coma scale eye opening"] == "Spontaneously"
    assert summary["changed_against_the_reference"] == {"ties": {"cells": 4, "stays": 1}}


def test_specimens(written):
    events = [(9, 5, "128"), (10, 5, "1000"), (10, 6, "250"), (24, 7, "5.0"), (23, 7, "7.4")]
    rows, _, _ = written(simple_tables(events))
    assert column(rows, "Glucose") == ["", "1000.0", "250.0", ""]
    assert column(rows, "pH")[3] == "7.4"  # the greater number wins
    rows, _, summary = written(simple_tables(events), specimens="blood")
    assert column(rows, "Glucose") == ["", "128.0", "", ""]
    assert summary["cells"]["rows_without_value"] == 1
    assert summary["changed_against_the_reference"] == {"specimens": {"cells": 2, "stays": 1}}


def test_specimens_change_values_and_never_which_stays_there_are(prepare, tmp_path):
    made = simple_tables([(10, 5, "250"), (24, 60, "5.0")])  # patient 1 has nothing but urine
    made["CHARTEVENTS"] = [row for row in made["CHARTEVENTS"] if row["SUBJECT_ID"] != "1"]
    found = {}
    for specimens in ("any", "blood"):
        target = tmp_path / specimens
        summary, load = prepare(made, specimens=specimens, write_benchmark_folders=str(target))
        found[specimens] = summary["sizes"]
        for task in ("mortality", "phenotyping"):
            cohort = load(task)
            assert cohort.info["stays_without_a_value"] == (1 if specimens == "blood" else 0)
            read = mimic3_benchmark.load(
                {"mimic3_benchmark": target}, with_defaults(mimic3_benchmark.OPTIONS, {}, "clean"), None, task
            )
            assert read.fingerprint() == cohort.fingerprint()
            own = cohort.values[: cohort.offsets[1], FEATURES.index("mask->Glucose")]
            assert own.sum() == (specimens == "any")
    assert found["blood"] == found["any"] and found["any"]["mortality stays"]["train"] == 1


def test_inspired_oxygen(written):
    events = [(4, 5, "50"), (4, 6, "0.5"), (4, 7, "1"), (3, 8, "0.4"), (4, 9, "1.5")]
    rows, _, _ = written(simple_tables(events))
    assert column(rows, "Fraction inspired oxygen") == ["", "0.5", "0.005", "0.01", "0.4", "0.015"]
    rows, _, summary = written(simple_tables(events), fio2="above_one")
    assert column(rows, "Fraction inspired oxygen") == ["", "0.5", "0.5", "1.0", "0.4", "0.015"]
    assert summary["changed_against_the_reference"] == {"fio2": {"cells": 2, "stays": 1}}


def test_ages(written, prepare):
    old = simple_tables(DOB="1850-01-01 00:00:00")
    _, row, _ = written(old)
    assert 300 < float(row["Age"]) < 300.5
    _, row, summary = written(old, ages_over_89="capped")
    assert float(row["Age"]) == 90
    assert summary["changed_against_the_reference"] == {"ages_over_89": {"cells": 1, "stays": 1}}
    for preset in ("clean", "reference"):
        _, load = prepare(old, preset)
        state = load("mortality").info["demographics"]["normaliser"]
        assert state["means"][0] == pytest.approx(
            90 if preset == "clean" else (90 + 2 * 50.03424657) / 3, abs=1e-3
        )


def test_diagnoses_the_dictionary_lacks(prepare):
    made = simple_tables(codes=["4280", "unknown", "5849"])
    made["D_ICD_DIAGNOSES"] = [row for row in made["D_ICD_DIAGNOSES"] if row["ICD9_CODE"] != "4280"]
    labels = {}
    for preset in ("reference", "clean"):
        summary, load = prepare(made, preset)
        cohort = load("phenotyping")
        labels[preset] = {name for name, value in zip(PHENOTYPES, cohort.labels[0], strict=True) if value}
    assert labels["reference"] == {PHENOTYPES[0]}
    assert labels["clean"] == {PHENOTYPES[0], "Congestive heart failure; nonhypertensive"}
    assert summary["changed_against_the_reference"]["diagnoses"] == {"cells": 1, "stays": 1}


def test_diagnosis_flags(written):
    flags = ["Diagnosis 4019", "Diagnosis 0389", "Diagnosis V5861"]
    _, row, _ = written(simple_tables(codes=["4019", "0389"]))
    assert [row[name] for name in flags] == ["0", "0", "0"]
    _, row, _ = written(simple_tables(codes=["4019", "V5861"]))
    assert [row[name] for name in flags] == ["1", "0", "1"]
    _, row, summary = written(simple_tables(codes=["4019", "0389"]), diagnosis_flags="exact")
    assert [row[name] for name in flags] == ["1", "1", "0"]
    assert summary["changed_against_the_reference"]["diagnosis_flags"] == {"cells": 4, "stays": 3}


def test_spellings(written):
    events = [
        (5, 5, "To Pain"),
        (6, 5, "Obeys Commands"),
        (8, 5, "No Response-ETT"),
        (5, 6, "None"),
        (8, 7, "5 Oriented"),
    ]
    rows, _, _ = written(simple_tables(events))
    assert column(rows, "Glascow coma scale eye opening") == ["", "To Pain", "None", ""]
    rows, _, summary = written(simple_tables(events), gcs_spellings="merge")
    assert column(rows, "Glascow coma scale eye opening") == ["", "2 To pain", "1 No Response", ""]
    assert rows[1]["Glascow coma scale verbal response"] == "1.0 ET/Trach"
    assert rows[1]["Glascow coma scale motor response"] == "6 Obeys Commands"
    assert summary["changed_against_the_reference"] == {"gcs_spellings": {"cells": 4}}


def test_clip(prepare):
    made = simple_tables([(17, 5, "118"), (17, 6, "11647"), (15, 7, "140")])
    for clip, pressure, saturation in ((False, 11647.0, 140.0), (True, 118.0, 100.0)):
        _, load = prepare(made, clip=clip)
        cohort = load("mortality")
        state = cohort.info["normaliser"]
        values = {}
        for name, hour in (("Systolic blood pressure", 6), ("Oxygen saturation", 7)):
            column = FEATURES.index(name)
            place = state["features"].index(name)
            values[name] = cohort.values[hour - 1, column] * state["stds"][place] + state["means"][place]
        assert np.allclose([*values.values()], [pressure, saturation], rtol=1e-5)


def test_the_eyes_state_none_is_no_missing_value(prepare):
    _, load = prepare(simple_tables([(5, 3.5, "None"), (7, 3.5, "NA"), (7, 4.5, "nan")]))
    cohort = load("mortality")
    assert cohort.values[3, FEATURES.index("Glascow coma scale eye opening->None")] == 1
    assert not cohort.values[:48, FEATURES.index("mask->Glascow coma scale total")].any()


def test_units(written):
    events = [(18, 5, "98.6"), (18, 6, "75"), (20, 5, "100"), (22, 6, "1600"), (12, 5, "65"), (13, 6, "170")]
    events += [
        (15, 5, ".97"),
        (2, 5, "120/80"),
        (17, 6, "120/80"),
        (1, 5, "Brisk"),
        (1, 6, "Delayed"),
        (1, 7, "odd"),
    ]
    rows, row, summary = written(simple_tables(events))
    assert column(rows, "Temperature")[1:] == ["37.0", "75.0"]
    assert [float(text) for text in column(rows, "Weight")[1:]] == pytest.approx([45.3592, 45.3592])
    assert column(rows, "Height")[1:] == ["165.0", "170.0"] and row["Height"] == "165.0"
    assert column(rows, "Oxygen saturation")[1] == "97.0"
    assert column(rows, "Diastolic blood pressure")[1] == "80.0"
    assert column(rows, "Systolic blood pressure")[2] == "120.0"
    assert column(rows, "Capillary refill rate")[1:] == ["0.0", "1.0"]
    assert summary["cells"]["events_unreadable"] == 1


def test_height_and_weight_of_later_hours_are_not_known_at_48(prepare):
    late = simple_tables([(13, 60, "190"), (21, 30, "100"), (21, 10, "95")])
    for given, means in (({}, [160, 95]), ({"height_weight": "episode_file"}, [190, 95])):
        _, load = prepare(late, **given)
        assert load("mortality").info["demographics"]["normaliser"]["means"][1:] == means


def test_outcomes_cannot_reach_the_features(prepare):
    one = simple_tables([(14, 5, "77"), (13, 6, "180")])
    other = simple_tables(
        [(14, 5, "77"), (13, 6, "180")], codes=["5849", "0389"], DEATHTIME="2150-01-03 13:00:00"
    )
    other["PATIENTS"][0]["DOD"] = "2150-01-03 00:00:00"
    cohorts = [prepare(made)[1]("mortality") for made in (one, other)]
    assert cohorts[0].labels.tolist() == [0, 0, 0] and cohorts[1].labels.tolist() == [1, 0, 0]
    for name in ("values", "statics", "offsets"):
        assert np.array_equal(*(getattr(cohort, name) for cohort in cohorts))
    assert not [name for name in cohorts[0].static_features if "Diagnosis" in name or "Mortality" in name]
