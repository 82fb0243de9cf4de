"""The cohort container: checks, round trip, padding, selection, fingerprint."""

import json

import numpy as np
import pytest

from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError


def parts(**changes):
    rng = np.random.default_rng(0)
    lengths = [3, 1, 4, 2]
    given = {
        "values": rng.normal(size=(10, 2)),
        "offsets": np.concatenate([[0], np.cumsum(lengths)]),
        "labels": [0, 1, 1, 0],
        "stays": ["s1", "s2", "s3", "s4"],
        "patients": ["p1", "p1", "p2", "p3"],
        "split": ["train", "train", "val", "test"],
        "features": ["a", "b"],
        "info": {"rows": 10},
    }
    return given | changes


def test_round_trip_without_pickle(tmp_path):
    cohort = Cohort(**parts())
    cohort.save(tmp_path / "cohort.npz")
    again = Cohort.load(tmp_path / "cohort.npz")
    assert again.fingerprint() == cohort.fingerprint()
    assert again.info == {"rows": 10} and again.features == ["a", "b"]
    np.testing.assert_array_equal(again.values, cohort.values)
    assert again.values.dtype == np.float32 and again.stays.tolist() == ["s1", "s2", "s3", "s4"]


def test_damaged_or_missing_file_is_named(tmp_path):
    path = tmp_path / "cohort.npz"
    Cohort(**parts()).save(path)
    path.write_bytes(path.read_bytes()[:-200])
    for broken in (path, tmp_path / "absent.npz"):
        with pytest.raises(UserError, match=broken.name):
            Cohort.load(broken)


def test_select_keeps_stays_together():
    train = Cohort(**parts()).select("train")
    assert train.stays.tolist() == ["s1", "s2"] and train.offsets.tolist() == [0, 3, 4]
    np.testing.assert_array_equal(train.values, Cohort(**parts()).values[:4])
    with pytest.raises(UserError, match="No split 'dev'"):
        train.select("dev")


def test_fingerprint_counts_and_sees_every_change():
    one = Cohort(**parts()).fingerprint()
    assert one["stays"] == 4 and one["patients"] == 3 and one["hours"] == 10 and one["positives"] == 2
    assert one["splits"]["train"] == {"stays": 2, "positives": 1}
    assert "s1" not in json.dumps(one)
    changed = [
        {"labels": [1, 0, 1, 0]},
        {"labels": [[0], [1], [1], [0]]},
        {"stays": ["s1", "s2", "s3", "s5"]},
        {"features": ["a", "c"]},
        {"offsets": [0, 2, 4, 8, 10]},
        {"split": ["train", "train", "test", "val"]},
    ]
    digests = {Cohort(**parts(**change)).fingerprint()["sha256"] for change in changed} | {one["sha256"]}
    assert len(digests) == 7
    assert Cohort(**parts(info={})).fingerprint() == one


def test_several_labels_per_stay():
    labels = np.array([[0, 1], [1, 1], [0, 0], [0, 1]])
    assert Cohort(**parts(labels=labels)).fingerprint()["positives"] == [1, 3]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stays": ["s1", "s2", "s3", "s1"]}, "Stay 's1' occurs twice"),
        ({"patients": ["p1", "p2", "p2", "p3"]}, "Patient 'p2' has stays in both train and val"),
        ({"offsets": [0, 3, 3, 8, 10]}, "Stay 's2' has no hours"),
        ({"offsets": [0, 3, 4, 8, 9]}, "offsets run from 0 to 9, not 0 to 10"),
        ({"split": ["train", "train", "dev", "test"]}, "Unknown split 'dev'"),
        ({"labels": [0, 1, 2, 0]}, "Labels must be 0 or 1"),
        ({"labels": [0, 1]}, "labels has shape"),
        ({"patients": ["p1"]}, "patients has shape"),
        ({"features": ["a"]}, "there are 1 features"),
        ({"values": np.full((10, 2), np.nan)}, "Feature 'a' holds NaN"),
    ],
)
def test_breach_is_named(change, message):
    with pytest.raises(UserError, match=message):
        Cohort(**parts(**change))
