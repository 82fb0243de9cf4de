"""Estimates from measured seconds, on numbers worked by hand."""

import csv
import io

import pytest

from clinbench.estimates import ALIKE, HERE, SHIPPED, Work, as_csv, as_markdown, expected, shipped, summed

CELL = ("open", "synthetic", "mortality_lstm", "all", "bce", "64")


def training(seed, amount, seconds=None, cell=CELL, **more):
    return Work("train_risk", "mortality_lstm", (*cell, str(seed)), amount, seconds=seconds, **more)


def test_seconds_come_from_the_most_alike_jobs_by_amount():
    same_cell = [training(0, 10, 50.0), training(1, 10, 70.0)]
    other_row = training(0, 10, 900.0, (*CELL[:4], "csce", "64"))
    assert expected(training(2, 20), [*same_cell, other_row]) == (
        120.0,
        HERE,
    )  # the median of 5 and 7, times 20


def test_another_cohort_counts_where_there_is_nothing_nearer():
    other = training(0, 10, 50.0, ("open", "physionet2012", *CELL[2:]))
    assert expected(training(2, 20), [other]) == (100.0, ALIKE)


def test_without_measurements_shipped_seconds_count():
    assert expected(training(2, 20), []) == (20 * shipped()["trainings"]["mortality_lstm"], SHIPPED)
    assert expected(Work("evaluate_risk", "", ("a",)), [training(0, 1, 1.0)]) == (
        shipped()["jobs"]["evaluate_risk"],
        SHIPPED,
    )
    new_kind = Work("train_risk", "a_new_kind", CELL, 2)
    assert expected(new_kind, [])[0] == 2 * max(shipped()["trainings"].values())


def test_rows_sum_what_is_left_by_threads_and_gpus():
    measured = [training(0, 1, 3600.0)]
    plan = [training(0, 1, left=False), training(1, 2, gpus=1), training(2, 1, threads=2)]
    (row,) = summed(plan, measured)
    assert (row["jobs"], row["left"]) == (3, 2)
    assert [row[key] for key in ("hours", "hours_left", "core_hours_left", "gpu_hours_left")] == [4, 3, 4, 2]
    text = as_markdown([row], cores=2)
    assert "3 jobs, 2 still to run: 4.0 core-hours" in text and "at least 2.0 hours" in text
    assert "estimate" in text and HERE in text
    (read,) = csv.DictReader(io.StringIO(as_csv([row])))
    assert float(read["gpu_hours_left"]) == pytest.approx(2) and read["source"] == HERE
