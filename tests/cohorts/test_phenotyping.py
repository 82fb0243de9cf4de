"""The phenotyping task of a folder in the benchmark's layout, and the reach of the normaliser."""

import numpy as np
import pytest
from test_benchmark_folder import STAYS, write_folder

from clinbench.cohorts.benchmark_folder import PHENOTYPING, TASKS, read_task
from clinbench.cohorts.channels import FEATURES, REAL_FEATURES
from clinbench.cohorts.phenotypes import NAMES, PHENOTYPES
from clinbench.errors import UserError

ENDS = dict(zip(STAYS, (7.0, 7.2, 40.25, 0.5, 90.0), strict=True))


def write_phenotyping(root, header=("stay", "period_length", *NAMES)):
    """Rename the mortality folder and give its lists the columns of phenotyping."""
    write_folder(root)
    (root / "in-hospital-mortality").rename(root / "phenotyping")
    rng = np.random.default_rng(1)
    labels = {stay: rng.integers(0, 2, 25) for stay in STAYS}
    for split in ("train", "val", "test"):
        rows = [
            ",".join([f"{stay}_timeseries.csv", f"{ENDS[stay]:.6f}", *map(str, labels[stay])])
            for stay, (where, _) in STAYS.items()
            if where == split
        ]
        (root / f"phenotyping/{split}_listfile.csv").write_text("\n".join([",".join(header), *rows]) + "\n")
    return labels


def test_25_names_in_sorted_order_with_the_benchmarks_kinds():
    assert len(NAMES) == 25 and [*NAMES] == sorted(NAMES) and not [name for name in NAMES if "," in name]
    kinds = [phenotype.kind for phenotype in PHENOTYPES]
    assert [kinds.count(kind) for kind in ("acute", "mixed", "chronic")] == [13, 5, 7]
    # The mean prevalence is the label density of the training stays, 16.54 % (risk.md 1.4).
    assert np.mean([phenotype.prevalence for phenotype in PHENOTYPES]) == pytest.approx(0.1654, abs=5e-4)
    assert len({phenotype.ccs for phenotype in PHENOTYPES}) == 25


def test_labels_and_varying_lengths(tmp_path):
    labels = write_phenotyping(tmp_path)
    cohort = read_task(tmp_path, PHENOTYPING)
    names = [f"{stay}_timeseries.csv" for stay in sorted(STAYS)]
    assert cohort.stays.tolist() == names and TASKS["phenotyping"] is PHENOTYPING
    np.testing.assert_array_equal(cohort.labels, [labels[stay] for stay in sorted(STAYS)])
    assert cohort.lengths.tolist() == [7, 8, 41, 1, 90]


def test_a_missing_phenotype_is_named(tmp_path):
    write_phenotyping(tmp_path, header=("stay", "period_length", *NAMES[:-1], "Shocks"))
    with pytest.raises(UserError, match="the header has no column 'Shock'"):
        read_task(tmp_path, PHENOTYPING)


def test_the_normaliser_sees_train_or_train_and_validation(tmp_path):
    write_folder(tmp_path)
    column = FEATURES.index("Heart Rate")
    for choice, splits, hours in (("train", ["train"], 3 * 48), ("train_val", ["train", "val"], 4 * 48)):
        cohort = read_task(tmp_path, normaliser=choice)
        state = cohort.info["normaliser"]
        assert state["hours"] == hours and cohort.info["normaliser_fitted_on"] == choice
        part = cohort.values[np.repeat(np.isin(cohort.split, splits), cohort.lengths), column]
        assert part.mean() == pytest.approx(0, abs=1e-5) and part.std(ddof=1) == pytest.approx(1, rel=1e-5)
        assert state["features"] == REAL_FEATURES
    with pytest.raises(UserError, match="normaliser: 'test' is not one of train, train_val"):
        read_task(tmp_path, normaliser="test")
