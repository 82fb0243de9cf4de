"""Sex, age and unit read back from static features."""

import doctest

import numpy as np
import polars as pl
import pytest

from clinbench.cohorts import attributes as module
from clinbench.cohorts import mimic3
from clinbench.cohorts.attributes import ages, attributes
from clinbench.cohorts.tensors import Cohort

YEARS = np.array([17, 44.9, 45, 64.999, 65, 79, 80, 90, 0])


def cohort(statics, names, info=None):
    stays = [str(at) for at in range(len(statics))]
    return Cohort(
        np.zeros((len(stays), 1)), np.arange(len(stays) + 1), np.zeros(len(stays)), stays, stays,
        ["test"] * len(stays), ["x"], statics=statics, static_features=names, info=info or {},
    )  # fmt: skip


def of_ages(years, mean=63.7, std=17.3, key="normaliser"):
    state = {"features": ["HR", "Age"], "means": [1.0, mean], "stds": [2.0, std]}
    info = {"normaliser": state} if key == "normaliser" else {"demographics": {"normaliser": state}}
    return cohort(np.float32((np.asarray(years)[:, None] - mean) / std), ["Age"], info)


def test_docstring_examples():
    assert doctest.testmod(module).failed == 0 < doctest.testmod(module).attempted


@pytest.mark.parametrize("key", ["normaliser", "demographics"])
def test_bands_begin_at_their_age(key):
    groups = attributes(of_ages(YEARS, key=key), [45, 65, 80])["Age"]
    assert {name: np.flatnonzero(chosen).tolist() for name, chosen in groups.items()} == {
        "under 45": [0, 1],
        "45–64": [2, 3],
        "65–79": [4, 5],
        "80 or over": [6, 7],
        "unknown": [8],
    }


def test_every_whole_age_survives_the_scaling():
    years = np.arange(1, 100)
    for mean, std in ((63.7, 17.3), (51.123456, 9.87)):
        assert ages(of_ages(years, mean, std)).tolist() == years.tolist()


def test_groups_part_the_stays():
    statics = np.array([[1, 0, 0, 1, 0], [0, 1, 0, 0, 1], [0, 0, 1, 0, 0]])
    names = ["Gender->female", "Gender->male", "Gender->missing", "ICUType->1", "ICUType->4"]
    found = attributes(cohort(statics, names), [65])
    assert list(found) == ["Sex", "Unit"]
    for groups in found.values():
        assert np.sum(list(groups.values()), axis=0).tolist() == [1, 1, 1]
    assert found["Sex"]["unknown"].tolist() == [False, False, True]
    assert found["Unit"]["surgical"].tolist() == [False, True, False]


def test_a_cohort_without_statics_or_scale_has_no_groups():
    assert attributes(cohort(np.zeros((2, 0)), []), [65]) == {}
    assert attributes(cohort(np.zeros((2, 1)), ["Age"]), [65]) == {}
    unseen = {"normaliser": {"features": ["Age"], "means": [None], "stds": [1.0]}}
    assert attributes(cohort(np.zeros((2, 1)), ["Age"], unseen), [65]) == {}


def test_units_kept_apart_come_by_the_stays_name(tmp_path):
    frame = {"name": ["0", "1", "9"], "last_careunit": ["MICU", None, "CCU"], "los": [1.0, 2.0, 3.0]}
    pl.DataFrame(frame).write_parquet(tmp_path / "stays.parquet")
    units = mimic3.units(tmp_path)
    assert units == {"0": "MICU", "9": "CCU"}
    found = attributes(cohort(np.zeros((2, 0)), []), [65], units)["Unit"]
    assert {unit: chosen.tolist() for unit, chosen in found.items()} == {
        "CCU": [False, False],
        "MICU": [True, False],
        "unknown": [False, True],
    }
