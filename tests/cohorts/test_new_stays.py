"""A user's folder in the features of a trained cohort, with its state and without refitting."""

import shutil

import numpy as np
import pytest
import torch
from test_benchmark_folder import write_folder
from test_demographics import PEOPLE, write_people
from test_phenotyping import write_phenotyping
from test_physionet2012 import OPTIONS, load, write_sets

from clinbench.cohorts import physionet2012, synthetic
from clinbench.cohorts.benchmark_folder import PHENOTYPING, read_task
from clinbench.errors import UserError
from clinbench.risk.stays import Stays


def read(folder, cohort, task="mortality"):
    return synthetic.read_stays(folder, cohort.info, {}, task)


def agree(new, cohort, stays):
    """Check that new stays are the rows of the cohort."""
    assert new.stays.tolist() == sorted(stays)
    rows = [cohort.stays.tolist().index(stay) for stay in new.stays.tolist()]
    for place, row in enumerate(rows):
        wanted = cohort.values[cohort.offsets[row] : cohort.offsets[row + 1]]
        np.testing.assert_array_equal(new.values[new.offsets[place] : new.offsets[place + 1]], wanted)
    np.testing.assert_array_equal(new.statics, cohort.statics[rows])
    assert new.features == cohort.features and new.static_features == cohort.static_features
    dense, lengths, _ = Stays.of(new, "cpu").batch(torch.arange(len(new)))
    assert dense.shape == (len(new), int(lengths.max()), len(new.features)) and new.values.dtype == np.float32


@pytest.mark.parametrize("options", [{}, {"height_weight": "episode_file", "clip": True, "impute": "next"}])
def test_a_part_of_the_trained_folder_gives_its_own_rows(tmp_path, options):
    write_folder(tmp_path)
    write_people(tmp_path)
    cohort = read_task(tmp_path, **options)
    folder = tmp_path / "in-hospital-mortality/test"
    new = read(folder, cohort)
    agree(new, cohort, ["9_episode10_timeseries.csv"])
    assert new.labels is None and new.hours.tolist() == [48] and len(new) == 1
    assert new.info["stays_without_demographics"] == 0


def test_demographics_beside_the_series_or_missing(tmp_path):
    write_folder(tmp_path)
    write_people(tmp_path)
    cohort = read_task(tmp_path, height_weight="episode_file")
    own = tmp_path / "my/own/folder"
    own.mkdir(parents=True)
    for stay in ("9_episode10", "13_episode1"):
        half = "test" if stay == "9_episode10" else "train"
        series = tmp_path / f"in-hospital-mortality/{half}/{stay}_timeseries.csv"
        shutil.copy(series, own / series.name)
    shutil.copy(tmp_path / "root/test/9/episode10.csv", own / "9_episode10.csv")
    new = read(own, cohort)
    # The episode file of 13_episode1 has no field filled in, so its absence says the same.
    assert set(PEOPLE["13_episode1"]) == {""} and new.info["stays_without_demographics"] == 1
    agree(new, cohort, ["9_episode10_timeseries.csv", "13_episode1_timeseries.csv"])


def test_a_model_without_demographics_gets_none(tmp_path):
    write_folder(tmp_path)
    cohort = read_task(tmp_path)
    write_people(tmp_path)
    assert read(tmp_path / "in-hospital-mortality/test", cohort).statics.shape == (1, 0)


def test_a_list_chooses_stays_and_has_labels(tmp_path):
    write_folder(tmp_path)
    cohort = read_task(tmp_path)
    folder = tmp_path / "in-hospital-mortality/train"
    (folder / "listfile.csv").write_text(
        "stay,y_true\n13_episode1_timeseries.csv,1\n11_episode1_timeseries.csv,0\n"
    )
    new = read(folder, cohort)
    agree(new, cohort, ["11_episode1_timeseries.csv", "13_episode1_timeseries.csv"])
    assert new.labels.tolist() == [0, 1] and new.info["files_not_listed"] == 2


def test_phenotyping_ends_at_the_period_or_the_last_row(tmp_path):
    labels = write_phenotyping(tmp_path)
    cohort = read_task(tmp_path, PHENOTYPING)
    folder = tmp_path / "phenotyping/test"
    shutil.copy(tmp_path / "phenotyping/test_listfile.csv", folder / "listfile.csv")
    new = read(folder, cohort, "phenotyping")
    agree(new, cohort, ["9_episode10_timeseries.csv"])
    assert new.hours.tolist() == [90] and new.labels.tolist() == [labels["9_episode10"].tolist()]
    (folder / "listfile.csv").unlink()
    last = max(float(line.split(",")[0]) for line in next(folder.iterdir()).read_text().splitlines()[1:])
    new = read(folder, cohort, "phenotyping")
    assert new.hours.tolist() == [last] and new.lengths.tolist() == [np.ceil(last)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stay,y_true\n", "lists no stays"),
        ("stay,y_true\n9_episode1_timeseries.csv,1\n", "line 2, column 'stay': '9_ep.*has no such series"),
        ("stay,y_true\n9_episode10_timeseries.csv,2\n", "line 2, column 'y_true': '2' is not 0 or 1"),
        (
            "stay\n9_episode10_timeseries.csv\n9_episode10_timeseries.csv\n",
            "line 3: stay .* before, in line 2",
        ),
        ("stay,period_length\n9_episode10_timeseries.csv,-1\n", "'-1' is not a positive number of hours"),
        ("name\n9_episode10_timeseries.csv\n", "no column 'stay'"),
    ],
)
def test_mistakes_in_the_list_are_placed(tmp_path, text, message):
    write_folder(tmp_path)
    cohort = read_task(tmp_path)
    (tmp_path / "in-hospital-mortality/test/listfile.csv").write_text(text)
    with pytest.raises(UserError, match=f"listfile.csv(.|\n)*{message}"):
        read(tmp_path / "in-hospital-mortality/test", cohort)


def test_some_labels_only_and_no_series(tmp_path):
    write_phenotyping(tmp_path)
    cohort = read_task(tmp_path, PHENOTYPING)
    (tmp_path / "phenotyping/test/listfile.csv").write_text("stay,Shock\n9_episode10_timeseries.csv,1\n")
    with pytest.raises(UserError, match="some labels but not Acute and unspecified renal failure"):
        read(tmp_path / "phenotyping/test", cohort, "phenotyping")
    with pytest.raises(UserError, match="no files '<stay>_timeseries.csv'"):
        read(tmp_path, cohort, "phenotyping")


def test_physionet_records(tmp_path):
    write_sets(tmp_path)
    cohort = load(tmp_path)
    new = physionet2012.read_stays(tmp_path / "set-b", cohort.info, OPTIONS, "mortality")
    agree(new, cohort, ["210001", "210002", "210003", "210004"])
    assert new.labels is None
    (tmp_path / "set-b/listfile.csv").write_text("stay,y_true\n210004,1\n210002,0\n")
    new = physionet2012.read_stays(tmp_path / "set-b", cohort.info, OPTIONS, "mortality")
    agree(new, cohort, ["210002", "210004"])
    assert new.labels.tolist() == [0, 1]
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/notes.txt").write_text("none")
    with pytest.raises(UserError, match="no records <RecordID>.txt"):
        physionet2012.read_stays(tmp_path / "empty", cohort.info, OPTIONS, "mortality")
