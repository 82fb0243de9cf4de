"""Demographics: 12 dimensions of a stay from its episode file, and never an outcome."""

import numpy as np
import pytest
from test_benchmark_folder import FILE, STAYS, write_folder, write_stay

from clinbench.cohorts.benchmark_folder import read_task
from clinbench.cohorts.demographics import STATIC_FEATURES
from clinbench.errors import UserError

HEADER = "Icustay,Ethnicity,Gender,Age,Height,Weight,Length of Stay,Mortality,Diagnosis 4019\n"
# stay: ethnicity, gender, age, height, weight as written
PEOPLE = {
    "11_episode1": ("4", "1", "70.5", "160.0", "60.0"),
    "11_episode2": ("4", "1", "71.5", "", "64.0"),
    "12_episode1": ("0", "2", "300.2", "185.0", ""),
    "13_episode1": ("", "", "", "", ""),
    "9_episode10": ("2", "3.0", "44.0", "171.0", "90.0"),
}


def place(root, stay):
    patient, episode = stay.split("_")
    half = "test" if STAYS[stay][0] == "test" else "train"
    return root / "root" / half / patient / f"{episode}.csv"


def write_people(root, outcomes="5.2,1,0", people=PEOPLE):
    for stay, fields in people.items():
        path = place(root, stay)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEADER + (f"9,{','.join(fields)},{outcomes}\n" if fields else ""))


def literal(rows, scaled_on):
    """Return the 12 dimensions of each (ethnicity, gender, age, height, weight), scaled on some of them."""
    table = []
    for ethnicity, gender, *numbers in rows:
        vector = [0.0] * 12
        vector[int(ethnicity)] = vector[5 + int(gender)] = 1.0
        vector[9:] = numbers
        table.append(vector)
    for column in (9, 10, 11):
        seen = [table[i][column] for i in scaled_on]
        mean = sum(seen) / len(seen)
        std = (sum((x - mean) ** 2 for x in seen) / len(seen)) ** 0.5
        for vector in table:
            vector[column] = (vector[column] - mean) / std
    return np.array(table)


# In the order of the sorted stays: missing height is 160 cm, missing weight 60 kg, missing age 60 years.
AS_WRITTEN = [
    (4, 1, 70.5, 160, 60),
    (4, 1, 71.5, 160, 64),
    (0, 2, 90, 185, 60),
    (0, 0, 60, 160, 60),
    (2, 3, 44, 171, 90),
]


def test_twelve_dimensions_scaled_on_training_stays(tmp_path):
    write_folder(tmp_path)
    write_people(tmp_path)
    cohort = read_task(tmp_path, height_weight="episode_file")
    assert cohort.static_features == STATIC_FEATURES and len(STATIC_FEATURES) == 12
    np.testing.assert_allclose(cohort.statics, literal(AS_WRITTEN, [0, 1, 2]), rtol=1e-6)
    info = cohort.info["demographics"]
    assert (info["without_age"], info["without_height"], info["without_gender"]) == (1, 2, 1)
    assert info["normaliser"]["stays"] == 3 and cohort.info["stays_without_demographics"] == 0


def test_scaling_on_all_files_includes_stays_of_no_task(tmp_path):
    write_folder(tmp_path)
    write_people(tmp_path)
    short = tmp_path / "root/test/77/episode1.csv"
    short.parent.mkdir(parents=True)
    short.write_text(HEADER + "8,1,2,30.0,150.0,45.0,0.5,0,0\n")
    (short.parent / "episode1_timeseries.csv").write_text("Hours\n")
    cohort = read_task(tmp_path, height_weight="episode_file", demographics_scaling="all")
    wanted = literal([*AS_WRITTEN, (1, 2, 30, 150, 45)], range(6))[:5]
    np.testing.assert_allclose(cohort.statics, wanted, rtol=1e-5, atol=1e-6)


def test_outcomes_cannot_reach_the_features(tmp_path):
    write_folder(tmp_path)
    fingerprints = set()
    for outcomes in ("5.2,1,0", "90.0,0,1", "not,a,number"):
        write_people(tmp_path, outcomes)
        fingerprints.add(read_task(tmp_path).fingerprint()["sha256"])
    assert len(fingerprints) == 1


def test_height_and_weight_are_those_known_after_48_hours(tmp_path):
    rows = write_folder(tmp_path)
    write_people(tmp_path)
    for hour, known in (("47.9", True), ("48.5", False)):
        late = [
            {name: text for name, text in row.items() if name not in ("Height", "Weight")}
            for row in rows["12_episode1"]
        ]
        late += [{"Hours": hour, "Height": "191", "Weight": "88"}, {"Hours": hour, "Weight": "20"}]
        write_stay(tmp_path / FILE, late)
        cohort = read_task(tmp_path)
        state = cohort.info["demographics"]["normaliser"]
        back = cohort.statics[2, 9:] * np.array(state["stds"]) + state["means"]
        np.testing.assert_allclose(back, [90, 191, 88] if known else [90, 160, 60], rtol=1e-5)


def test_file_with_a_header_only_is_twelve_zeros(tmp_path):
    write_folder(tmp_path)
    write_people(tmp_path, people=PEOPLE | {"13_episode1": None})
    cohort = read_task(tmp_path, height_weight="episode_file")
    state = cohort.info["demographics"]["normaliser"]
    assert not cohort.statics[3, :9].any() and cohort.info["demographics"]["without_row"] == 1
    np.testing.assert_allclose(
        cohort.statics[3, 9:], -np.array(state["means"]) / np.array(state["stds"]), rtol=1e-6
    )


def test_without_root_there_are_no_statics(tmp_path):
    write_folder(tmp_path)
    cohort = read_task(tmp_path)
    assert cohort.statics.shape == (5, 0) and cohort.info["stays_without_demographics"] == 5
    write_people(tmp_path)
    assert read_task(tmp_path / "in-hospital-mortality").statics.shape == (5, 12)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (("7", "1", "70", "", ""), "12/episode1.csv, line 2, column 'Ethnicity': '7' is not one of 0 .other"),
        (("4", "F", "70", "", ""), "column 'Gender': 'F' is not one of 0 .missing., 1 .female"),
        (("4", "1", "old", "", ""), "column 'Age': 'old' is not a number"),
        (("4", "1", "70", "inf", ""), "column 'Height': 'inf' is not a number"),
        (("4", "1", "70", ""), "line 2: 8 fields where the header has 9"),
    ],
)
def test_mistakes_are_placed(tmp_path, fields, message):
    write_folder(tmp_path)
    write_people(tmp_path, people=PEOPLE | {"12_episode1": fields})
    with pytest.raises(UserError, match=message):
        read_task(tmp_path)


def test_second_row_missing_file_and_unknown_choice(tmp_path):
    write_folder(tmp_path)
    write_people(tmp_path)
    path = place(tmp_path, "12_episode1")
    path.write_text(path.read_text() + "9,4,1,70,,,1,0,0\n")
    with pytest.raises(UserError, match="12/episode1.csv, line 3: a second row"):
        read_task(tmp_path)
    path.unlink()
    with pytest.raises(UserError, match="Episode files are missing(.|\n)*12/episode1.csv: no such file"):
        read_task(tmp_path)
    with pytest.raises(UserError, match="demographics_scaling: 'test' is not one of train, all"):
        read_task(tmp_path, demographics_scaling="test")
