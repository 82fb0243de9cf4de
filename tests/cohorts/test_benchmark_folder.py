"""Reading the layout of mimic3-benchmarks, with the things real folders have."""

import csv

import numpy as np
import pytest
from test_discretiser import slow

from clinbench.cohorts.benchmark_folder import MORTALITY, read_task
from clinbench.cohorts.channels import CHANNELS, FEATURES, NAMES, REAL_FEATURES, code
from clinbench.cohorts.listfiles import Task
from clinbench.errors import UserError

STAYS = {
    "11_episode1": ("train", 0),
    "11_episode2": ("train", 1),
    "12_episode1": ("train", 0),
    "13_episode1": ("val", 1),
    "9_episode10": ("test", 0),
}
FILE = "in-hospital-mortality/train/12_episode1_timeseries.csv"


def write_folder(root, rng=None):
    """Write five stays of made-up content; return the rows of each."""
    rng = rng or np.random.default_rng(0)
    task = root / "in-hospital-mortality"
    written = {}
    for stay, (split, _) in STAYS.items():
        rows = []
        for hour in np.sort(rng.uniform(0, 47, 12)):
            row = {"Hours": repr(float(hour))}
            for channel in CHANNELS:
                if rng.random() < 0.5:
                    number = str(round(float(rng.uniform(20, 100)), 1))
                    row[channel.name] = str(rng.choice(channel.categories)) if channel.categories else number
            rows.append(row)
        written[stay] = rows
        write_stay(task / ("test" if split == "test" else "train") / f"{stay}_timeseries.csv", rows)
    for split in ("train", "val", "test"):
        lines = [f"{stay}_timeseries.csv,{died}\n" for stay, (where, died) in STAYS.items() if where == split]
        (task / f"{split}_listfile.csv").write_text("stay,y_true\n" + "".join(reversed(lines)))
    return written


def write_stay(path, rows, columns=("Hours", *NAMES)):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as handle:
        writer = csv.DictWriter(handle, columns, restval="", lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def literal(rows):
    """Discretise one stay's rows by the specification's words, without standardising."""
    hours = np.array([float(row["Hours"]) for row in rows])
    values = [
        [
            np.nan if c.name not in row else code(c, row[c.name]) if c.categories else float(row[c.name])
            for c in CHANNELS
        ]
        for row in rows
    ]
    return slow(hours, np.array(values, dtype=float).reshape(-1, 17), 48.0, 1.0, "previous", "zero")


def test_equals_a_literal_reading(tmp_path):
    rows = write_folder(tmp_path)
    cohort = read_task(tmp_path)
    assert cohort.stays.tolist() == [f"{stay}_timeseries.csv" for stay in sorted(STAYS)]
    assert cohort.patients.tolist() == ["11", "11", "12", "13", "9"]
    assert cohort.split.tolist() == ["train", "train", "train", "val", "test"]
    assert cohort.labels.tolist() == [0, 1, 0, 1, 0]
    assert cohort.lengths.tolist() == [48] * 5
    raw = np.concatenate([literal(rows[stay]) for stay in sorted(STAYS)])
    train = raw[: 3 * 48].astype(np.float64)
    for column, feature in enumerate(FEATURES):
        wanted = raw[:, column]
        if feature in REAL_FEATURES:
            wanted = (wanted - train[:, column].mean()) / max(train[:, column].std(ddof=1), 1e-7)
        np.testing.assert_allclose(cohort.values[:, column], wanted, rtol=1e-5, atol=1e-6, err_msg=feature)
    assert cohort.info["stays"] == {"train": 3, "val": 1, "test": 1} and cohort.info["rows"] == 60


def test_order_of_columns_and_lists_is_irrelevant(tmp_path):
    rows = write_folder(tmp_path)
    before = read_task(tmp_path)
    task = tmp_path / "in-hospital-mortality"
    write_stay(tmp_path / FILE, rows["12_episode1"], columns=(*reversed(NAMES), "Hours"))
    head, *lines = (task / "train_listfile.csv").read_text().splitlines()
    (task / "train_listfile.csv").write_text(
        "\n".join(["y_true,stay"] + [",".join(line.split(",")[::-1]) for line in lines])
    )
    assert read_task(task).fingerprint() == before.fingerprint()


def test_oddities_are_mended_by_rule_and_counted(tmp_path):
    rows = write_folder(tmp_path)
    before = read_task(tmp_path)
    odd = rows["12_episode1"]
    odd = [odd[5], *odd[:5], *odd[6:], {"Hours": "-0.5", "pH": "7"}, {"Hours": "48.2", "pH": "7"}, odd[-1]]
    for row in odd:
        row["Lactate"] = "2"
    write_stay(tmp_path / FILE, odd, columns=("Hours", *NAMES, "Lactate"))
    (tmp_path / "in-hospital-mortality/train/77_episode1_timeseries.csv").write_text("left over")
    cohort = read_task(tmp_path)
    assert cohort.fingerprint() == before.fingerprint()
    wanted = {
        "rows_before_admission": 1,
        "rows_after_end": 1,
        "stays_with_unsorted_hours": 1,
        "files_not_listed": 1,
        "columns_ignored": {"Lactate": 1},
    }
    assert {name: cohort.info[name] for name in wanted} == wanted
    assert cohort.info["rows"] == before.info["rows"] + 3


def test_within_an_hour_the_latest_wins_whatever_the_order_of_rows(tmp_path):
    write_folder(tmp_path)
    rows = [{"Hours": "2.2", "pH": "7.1"}, {"Hours": "2.7", "pH": "7.2"}, {"Hours": "2.7", "pH": "7.3"}]
    cohorts = []
    for order in ([0, 1, 2], [1, 2, 0], [2]):
        write_stay(tmp_path / FILE, [rows[i] for i in order])
        cohorts.append(read_task(tmp_path))
    assert len({cohort.fingerprint()["sha256"] for cohort in cohorts}) == 1
    assert cohorts[1].info["stays_with_unsorted_hours"] == cohorts[1].info["rows_repeating_an_hour"] == 1


def test_gcs_none_is_a_category_and_a_stay_may_have_no_rows(tmp_path):
    write_folder(tmp_path)
    write_stay(tmp_path / FILE, [{"Hours": "2.5", "Glascow coma scale eye opening": "None"}])
    write_stay(tmp_path / FILE.replace("12_episode1", "11_episode2"), [])
    cohort = read_task(tmp_path)
    assert cohort.values[2 * 48 + 2 : 3 * 48, FEATURES.index("Glascow coma scale eye opening->None")].all()
    assert cohort.values[2 * 48 + 2, FEATURES.index("mask->Glascow coma scale eye opening")] == 1
    assert cohort.info["stays_without_rows"] == 1
    assert not cohort.values[48:96, FEATURES.index("mask->pH")].any()


def test_clip_drops_outliers_and_moves_the_implausible(tmp_path):
    write_folder(tmp_path)
    rows = [{"Hours": "0.5", "Oxygen saturation": "140"}, {"Hours": "3.5", "Oxygen saturation": "900"}]
    write_stay(tmp_path / FILE, rows)
    info = read_task(tmp_path, clip=True).info
    assert info["values_outside_outlier_limits"] >= 1 and info["values_clipped_to_valid_limits"] >= 1
    assert info["normaliser"]["means"][REAL_FEATURES.index("Oxygen saturation")] < 100
    assert "values_outside_outlier_limits" not in read_task(tmp_path).info


def test_a_task_with_periods_and_several_labels(tmp_path):
    write_folder(tmp_path)
    task = tmp_path / "in-hospital-mortality"
    for split in ("train", "val", "test"):
        lines = (task / f"{split}_listfile.csv").read_text().splitlines()[1:]
        text = "".join(f"{line.split(',')[0]},{10.5 + i:.6f},0,1\n" for i, line in enumerate(lines))
        (task / f"{split}_listfile.csv").write_text("stay,period_length,Sepsis; severe,Shock\n" + text)
    cohort = read_task(tmp_path, Task("in-hospital-mortality", ("Shock", "Sepsis; severe"), None))
    assert cohort.labels.tolist() == [[1, 0]] * 5
    assert cohort.lengths.tolist() == [13, 12, 11, 11, 11]


HEADER = ",".join(["Hours", *NAMES]) + "\n"


def row(hours="1", **values):
    cells = {"Hours": hours, **{name.replace("_", " "): value for name, value in values.items()}}
    return ",".join(cells.get(name, "") for name in ("Hours", *NAMES)) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEADER + row(Heart_Rate="fast"),
            "line 2, column 'Heart Rate': 'fast' is unknown; expected a number",
        ),
        (
            HEADER + row(Glascow_coma_scale_total="16"),
            "scale total': '16' is unknown; expected one of: 11, 10, 13",
        ),
        (HEADER + row() + row(hours="noon"), "line 3, column 'Hours': 'noon' is not a number"),
        (HEADER + row(hours=""), "line 2, column 'Hours': '' is not a number"),
        (HEADER + row() + "2.0,1\n", "line 3: 2 fields where the header has 18"),
        (HEADER.replace("pH", "PH"), "no column 'pH'"),
        ("", "the file is empty"),
    ],
)
def test_mistakes_in_a_stay_are_placed(tmp_path, text, message):
    write_folder(tmp_path)
    (tmp_path / FILE).write_text(text)
    with pytest.raises(UserError, match=f"12_episode1_timeseries.csv, .*{message}"):
        read_task(tmp_path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("stay,y_true\n", "lists no stays"),
        ("stay;y_true\n", "line 1: the header has no column 'stay'"),
        ("stay,y_true\n9_episode10_timeseries.csv,yes\n", "line 2, column 'y_true': 'yes' is not 0 or 1"),
        ("stay,y_true\n9_episode10_timeseries.csv,\n", "line 2, column 'y_true': '' is not 0 or 1"),
        ("stay,y_true\n142345,0\n", "'142345' is not of the form '<patient>_episode<number>_timeseries.csv'"),
        ("stay,y_true\n../train/12_episode1_timeseries.csv,0\n", "is not of the form"),
        ("stay,y_true\n8_episode1_timeseries.csv,0\n", "line 2: the file .*8_episode1.* does not exist"),
        (
            "stay,y_true\n12_episode1_timeseries.csv,0\n",
            "line 2: stay '12_episode1_timeseries.csv' is listed before, in .*train_listfile.csv, line 2",
        ),
    ],
)
def test_mistakes_in_a_list_are_placed(tmp_path, lines, message):
    write_folder(tmp_path)
    (tmp_path / "in-hospital-mortality/test_listfile.csv").write_text(lines)
    with pytest.raises(UserError, match=f"test_listfile.csv.*{message}"):
        read_task(tmp_path)


def test_missing_list_is_named(tmp_path):
    write_folder(tmp_path)
    (tmp_path / "in-hospital-mortality/val_listfile.csv").unlink()
    with pytest.raises(UserError, match="val_listfile.csv: no such file.*split_train_val"):
        read_task(tmp_path)


def test_patient_in_two_splits_and_wrong_folder(tmp_path):
    write_folder(tmp_path)
    write_stay(tmp_path / "in-hospital-mortality/test/12_episode2_timeseries.csv", [])
    listfile = tmp_path / "in-hospital-mortality/test_listfile.csv"
    listfile.write_text(listfile.read_text() + "12_episode2_timeseries.csv,0\n")
    with pytest.raises(UserError, match="Patient '12' has stays in both test and train"):
        read_task(tmp_path)
    with pytest.raises(UserError, match="no folder 'in-hospital-mortality'"):
        read_task(tmp_path / "in-hospital-mortality" / "train", MORTALITY)
