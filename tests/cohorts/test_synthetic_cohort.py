"""The synthetic cohort: seeded, plausible, read back through the benchmark's layout."""

import numpy as np
import pytest

from clinbench.cohorts import synthetic
from clinbench.cohorts.charting import chart
from clinbench.cohorts.simulation import simulate_ward
from clinbench.errors import UserError

SMALL = {"stays": 120, "seed": 3}


def contents(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_round_trip(tmp_path):
    summary = synthetic.generate(SMALL, tmp_path)
    cohort = synthetic.load({}, {}, tmp_path)["mortality"]
    assert len(cohort) == 120 == summary["stays"]
    assert cohort.labels.sum() == summary["deaths"] > 0
    assert len(np.unique(cohort.patients)) == summary["patients"] < 120
    assert cohort.info["generated"] == summary and cohort.info["rows"] == summary["rows"]
    assert cohort.info["rows_before_admission"] == cohort.info["rows_repeating_an_hour"] == 0
    shares = [(cohort.split == split).mean() for split in ("train", "val", "test")]
    np.testing.assert_allclose(shares, [0.7, 0.15, 0.15], atol=0.06)


def test_same_seed_same_bytes(tmp_path):
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        synthetic.generate(SMALL | {"seed": seed}, tmp_path / name)
    assert contents(tmp_path / "one") == contents(tmp_path / "two") != contents(tmp_path / "other")


def test_options_reach_the_data(tmp_path):
    one = synthetic.generate(SMALL | {"mortality": 0.5, "two_stays": 0.0}, tmp_path / "one")
    two = synthetic.generate(SMALL | {"mortality": 0.5, "attention": 0.2, "two_stays": 1.0}, tmp_path / "two")
    assert one["deaths"] > 40 and one["patients"] == 120 and two["patients"] == 60
    assert two["rows"] < 0.8 * one["rows"]


def test_ward_is_calibrated_and_severity_predicts_death():
    ward = simulate_ward(4000, 0.135, 0.1, np.random.default_rng(0))
    assert ward.risk.mean() == pytest.approx(0.135, abs=1e-9)
    assert 0.8 < synthetic._auroc(ward.died, ward.risk) < 0.95
    assert ward.severity[ward.died, -12:].mean() > ward.severity[~ward.died, -12:].mean() + 1
    assert ward.severity.std() == pytest.approx(1, abs=0.15)
    assert synthetic._auroc(np.zeros(4), np.arange(4)) is None


def test_charted_rates_ranges_and_attention_to_the_sick():
    ward = simulate_ward(400, 0.135, 0.1, np.random.default_rng(1))
    rows = chart(ward, 1.0, np.random.default_rng(2))
    assert rows.select("stay", "minute").is_duplicated().sum() == 0
    assert rows["minute"].min() >= 1 and rows["minute"].max() <= 2880
    hours = rows.with_columns(hour=(rows["minute"] - 1) // 60)
    rates = {
        "Heart Rate": 0.925,
        "Glascow coma scale eye opening": 0.31,
        "Glascow coma scale total": 0.182,
        "pH": 0.131,
    }
    for name, rate in rates.items():
        seen = hours.drop_nulls(name).select("stay", "hour").n_unique() / (400 * 48)
        assert seen == pytest.approx(rate, rel=0.12), name
    assert rows["Systolic blood pressure"].min() > 30 and rows["Oxygen saturation"].max() <= 100
    counts = np.bincount(rows["stay"].to_numpy(), minlength=400)
    sick = ward.severity.mean(axis=1) > 1
    assert counts[sick].mean() > 1.1 * counts[~sick].mean()
    texts = set(rows["Glascow coma scale eye opening"].drop_nulls())
    assert {"4 Spontaneously", "Spontaneously", "None"} <= texts


def test_mistakes_are_named(tmp_path):
    with pytest.raises(UserError, match="generate it first"):
        synthetic.load({}, {}, tmp_path)
    synthetic.generate(SMALL, tmp_path)
    with pytest.raises(UserError, match="a cohort in it already"):
        synthetic.generate(SMALL, tmp_path)
