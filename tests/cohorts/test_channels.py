"""The 17 channels: feature layout and parsing."""

import numpy as np
import polars as pl
import pytest

from clinbench.cohorts.channels import CHANNELS, FEATURES, NAMES, REAL_FEATURES, STARTS, normal_values, parse

BY_NAME = {channel.name: channel for channel in CHANNELS}


def test_layout_is_the_benchmarks():
    assert len(FEATURES) == 76 and len(set(FEATURES)) == 76
    assert list(NAMES) == sorted(NAMES)
    assert [FEATURES.index(name) for name in REAL_FEATURES] == [2, 3, *range(49, 59)]
    assert STARTS.tolist() == [0, 2, 3, 4, 12, 24, 37, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59]
    assert FEATURES[8] == "Glascow coma scale eye opening->None"
    assert FEATURES[24] == "Glascow coma scale total->11"
    assert FEATURES[59] == "mask->Capillary refill rate" and FEATURES[75] == "mask->pH"


def test_normal_values_are_the_benchmarks():
    wanted = [0, 59, 0.21, 3, 9, 4, 6, 128, 86, 170, 77, 98, 19, 118, 36.6, 81, 7.4]
    assert normal_values().tolist() == wanted


@pytest.mark.parametrize(
    ("name", "texts", "codes"),
    [
        ("Capillary refill rate", ["0", "0.0", "1", "1.0", None], [0, 0, 1, 1, np.nan]),
        ("Glascow coma scale total", ["15", "15.0", "3", "11.00", "16"], [4, 4, 6, 0, np.nan]),
        ("Glascow coma scale eye opening", ["None", "4 Spontaneously", None], [4, 3, np.nan]),
        ("Glascow coma scale verbal response", ["1.0 ET/Trach", "1", "oriented"], [8, np.nan, np.nan]),
        ("Heart Rate", ["86", " 86.5", "8e1", "high", "nan", "inf", None], [86, 86.5, 80] + 4 * [np.nan]),
    ],
)
def test_parse(name, texts, codes):
    np.testing.assert_array_equal(parse(BY_NAME[name], pl.Series(texts, dtype=pl.String)), codes)
