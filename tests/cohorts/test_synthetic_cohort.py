"""The synthetic cohort: seeded, plausible, read back through the benchmark's layout."""

import numpy as np
import pytest
from scipy.special import logit

from clinbench.cohorts import synthetic
from clinbench.cohorts.charting import chart
from clinbench.cohorts.diagnoses import SIGNS, auroc, bayes_aurocs, draw_phenotypes
from clinbench.cohorts.phenotypes import NAMES, PHENOTYPES
from clinbench.cohorts.simulation import TRAITS, simulate_ward
from clinbench.errors import UserError

SMALL = {"stays": 120, "seed": 3}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Return a generated folder and its summary."""
    folder = tmp_path_factory.mktemp("small")
    return folder, synthetic.generate(SMALL, folder)


@pytest.fixture(scope="module")
def ward():
    return simulate_ward(2000, 0.135, 0.1, 400, np.random.default_rng(0))


def contents(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_round_trip_of_mortality(small):
    folder, summary = small
    cohort = synthetic.load({}, {}, folder, "mortality")
    assert len(cohort) == 120 == summary["stays"] and set(cohort.lengths) == {48}
    assert cohort.labels.sum() == summary["deaths"] > 0
    assert len(np.unique(cohort.patients)) == summary["patients"] <= 120
    assert cohort.info["generated"] == summary and cohort.info["rows"] == summary["rows"]
    assert cohort.info["rows_before_admission"] == cohort.info["rows_repeating_an_hour"] == 0
    assert cohort.info["rows_after_end"] == 0
    shares = [(cohort.split == split).mean() for split in ("train", "val", "test")]
    np.testing.assert_allclose(shares, [0.7, 0.15, 0.15], atol=0.08)


def test_round_trip_of_phenotyping(small):
    folder, summary = small
    cohort = synthetic.load({}, {}, folder, "phenotyping")
    assert len(cohort) == summary["phenotyping"]["stays"] and cohort.labels.shape == (len(cohort), 25)
    assert cohort.info["rows"] == summary["phenotyping"]["rows"] and cohort.info["rows_after_end"] == 0
    assert cohort.lengths.min() >= 1 and 48 < cohort.lengths.max() <= 400
    mortality = synthetic.load({}, {}, folder, "mortality")
    hours = dict(zip(cohort.stays.tolist(), cohort.lengths.tolist(), strict=True))
    split = dict(zip(cohort.stays.tolist(), cohort.split.tolist(), strict=True))
    assert {stay for stay, length in hours.items() if length > 48} == set(mortality.stays.tolist())
    assert mortality.split.tolist() == [split[stay] for stay in mortality.stays.tolist()]


def test_demographics_are_written_and_read(small):
    folder, _ = small
    cohort = synthetic.load({}, {}, folder, "phenotyping")
    info = cohort.info["demographics"]
    assert cohort.statics.shape == (len(cohort), 12) and info["without_age"] == info["without_row"] == 0
    state = info["normaliser"]
    age, height, weight = (cohort.statics[:, 9:] * np.array(state["stds"]) + state["means"]).T
    assert age.min() > 17 and age.max() <= 90.001 and 0.3 < cohort.statics[:, 6].mean() < 0.6
    # Most heights and some weights are never charted in 48 hours and then are 160 cm and 60 kg.
    assert 0.6 < np.isclose(height, 160, atol=1e-3).mean() < 0.95
    assert 0.05 < np.isclose(weight, 60, atol=1e-3).mean() < 0.6


def test_the_reference_preset_reads_in_its_way(small):
    folder, _ = small
    given = {"normaliser": "train_val", "demographics_scaling": "all", "height_weight": "episode_file"}
    info = synthetic.load({}, given, folder, "mortality").info
    plain = synthetic.load({}, {}, folder, "mortality").info
    assert info["normaliser"]["hours"] > plain["normaliser"]["hours"]
    assert info["demographics"]["without_height"] < plain["demographics"]["without_height"]
    assert info["demographics"]["normaliser"]["stays"] > len(synthetic.load({}, {}, folder, "mortality"))
    clipped = synthetic.load({}, {"clip": True}, folder, "mortality").info
    assert "values_outside_outlier_limits" in clipped and "values_outside_outlier_limits" not in plain
    for name, value in given.items():
        assert synthetic.OPTIONS[name]["presets"] == {"reference": value}


def test_mortality_does_not_parse_the_text_of_phenotyping(tmp_path):
    synthetic.generate(SMALL, tmp_path)
    for file in (tmp_path / "phenotyping").glob("*/*.csv"):
        file.write_text("no series")
    assert len(synthetic.load({}, {}, tmp_path, "mortality")) == 120
    with pytest.raises(UserError, match="no column 'Hours'"):
        synthetic.load({}, {}, tmp_path, "phenotyping")


def test_same_seed_same_bytes(tmp_path):
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        synthetic.generate({"stays": 20, "seed": seed}, tmp_path / name)
    assert contents(tmp_path / "one") == contents(tmp_path / "two") != contents(tmp_path / "other")


def test_options_reach_the_data(tmp_path):
    one = synthetic.generate(SMALL | {"mortality": 0.5, "two_stays": 0.0}, tmp_path / "one")
    changed = {"mortality": 0.5, "attention": 0.2, "two_stays": 1.0, "longest": 60}
    two = synthetic.generate(SMALL | changed, tmp_path / "two")
    assert one["deaths"] > 40 and one["patients"] == 120
    assert two["phenotyping"]["patients"] == pytest.approx(two["phenotyping"]["stays"] / 2, abs=1)
    assert two["rows"] < 0.8 * one["rows"]
    assert synthetic.load({}, {}, tmp_path / "two", "phenotyping").lengths.max() <= 60
    assert two["options"]["longest"] == 60 and "normaliser" not in two["options"]


def test_ward_is_calibrated_and_severity_predicts_death(ward):
    long = ward.hours >= 48
    assert long.sum() == 2000 and ward.risk[long].mean() == pytest.approx(0.135, abs=1e-9)
    assert 0.84 < auroc(ward.died[long], ward.risk[long]) < 0.92
    hours = np.diff(ward.offsets)
    np.testing.assert_array_equal(hours, np.ceil(ward.hours))
    late = ward.mean_severity(np.full(len(hours), 0), np.minimum(hours, 48))
    assert late[long & ward.died].mean() > late[long & ~ward.died].mean() + 0.7
    first, last = ward.offsets[5], ward.offsets[5] + min(hours[5], 7)
    loop = ward.severity[first:last].mean()
    assert ward.mean_severity(np.zeros_like(hours), np.minimum(hours, 7))[5] == pytest.approx(loop)
    assert ward.severity.std() == pytest.approx(1, abs=0.2)
    assert auroc(np.zeros(4), np.arange(4)) is None


def test_lengths_are_the_benchmarks_log_normal():
    hours = simulate_ward(10000, 0.1, 0.1, 3000, np.random.default_rng(0)).hours
    assert hours.mean() == pytest.approx(87, rel=0.03) and hours.std() == pytest.approx(122, rel=0.06)
    # 21,139 of the benchmark's 41,902 stays last 48 hours (risk.md 1.4).
    assert (hours >= 48).mean() == pytest.approx(21139 / 41902, abs=0.02)
    assert hours.min() > 0.4 and hours.max() < 3000


def test_phenotypes_have_their_prevalence_and_show(ward):
    risk, drawn = draw_phenotypes(ward, np.random.default_rng(1))
    wanted = [phenotype.prevalence for phenotype in PHENOTYPES]
    np.testing.assert_allclose(risk.mean(axis=0), wanted, atol=1e-9)
    np.testing.assert_allclose(drawn.mean(axis=0), wanted, atol=0.025)
    best = bayes_aurocs(drawn, risk)
    assert set(best["bayes_auroc"]) == {*NAMES}
    assert all(0.78 < value < 0.93 for value in best["bayes_auroc"].values())
    assert best["bayes_macro_auroc"] == pytest.approx(np.mean([*best["bayes_auroc"].values()]))
    assert 0.82 < best["bayes_micro_auroc"] < 0.92
    named = {sign for signs in SIGNS for sign in signs}
    assert len(SIGNS) == 25 and named <= {*TRAITS, "severity", "length", "age", "female"}
    diabetes = NAMES.index("Diabetes mellitus with complications")
    assert np.corrcoef(logit(risk[:, diabetes]), ward.traits["Glucose"])[0, 1] > 0.6
    nobody = bayes_aurocs(np.zeros((4, 25), dtype=bool), risk[:4])
    assert nobody["bayes_micro_auroc"] is None and nobody["bayes_macro_auroc"] is None


def test_charted_rates_ranges_and_attention_to_the_sick():
    ward = simulate_ward(300, 0.135, 0.1, 400, np.random.default_rng(1))
    rows = chart(ward, 1.0, np.random.default_rng(2))
    assert rows.select("stay", "minute").is_duplicated().sum() == 0
    assert rows["minute"].min() >= 1
    assert (rows["minute"].to_numpy() <= 60 * ward.hours[rows["stay"].to_numpy()]).all()
    hours = rows.with_columns(hour=(rows["minute"] - 1) // 60)
    rates = {
        "Heart Rate": 0.925,
        "Glascow coma scale eye opening": 0.31,
        "Glascow coma scale total": 0.182,
        "pH": 0.131,
    }
    for name, rate in rates.items():
        seen = hours.drop_nulls(name).select("stay", "hour").n_unique() / len(ward.severity)
        assert seen == pytest.approx(rate, rel=0.12), name
    assert rows["Systolic blood pressure"].min() > 30 and rows["Oxygen saturation"].max() <= 100
    counts = np.bincount(rows["stay"].to_numpy(), minlength=len(ward.hours)) / ward.hours
    lengths = np.diff(ward.offsets)
    mean = ward.mean_severity(np.zeros_like(lengths), lengths)
    assert counts[mean > 1].mean() > 1.1 * counts[mean <= 1].mean()
    texts = set(rows["Glascow coma scale eye opening"].drop_nulls())
    assert {"4 Spontaneously", "Spontaneously", "None"} <= texts


def test_mistakes_are_named(tmp_path):
    with pytest.raises(UserError, match="generate it first"):
        synthetic.load({}, {}, tmp_path, "mortality")
    synthetic.generate({"stays": 20}, tmp_path)
    with pytest.raises(UserError, match="a cohort in it already"):
        synthetic.generate({"stays": 20}, tmp_path)
