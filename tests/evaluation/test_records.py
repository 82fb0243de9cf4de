"""Long rows: keys, columns by metric, undefined values, warnings; and the examples in the docstrings."""

import doctest
import json

import numpy as np
import pytest

from clinbench.errors import UserError
from clinbench.evaluation import binary, bootstrap, multilabel, ranking
from clinbench.evaluation.records import KEYS, binary_rows, multilabel_rows, ranking_rows, sampled_rows

COLUMNS = {"track": "risk", "task": "mortality", "dataset": "synthetic", "model": "lstm", "system": "bce"}


def cohort(samples=80):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, samples)
    return y, rng.random((3, samples)), np.array([f"p{at // 2}" for at in range(samples)])


@pytest.mark.parametrize("module", [binary, bootstrap, multilabel, ranking])
def test_docstring_examples(module):
    assert doctest.testmod(module).failed == 0 < doctest.testmod(module).attempted


def test_binary_rows():
    y, p, patients = cohort()
    published = {("", "auroc"): 0.85}
    columns = COLUMNS | {"published": published, "comparable": {("", "auroc"): "no"}}
    rows = binary_rows(y, p, patients, columns=columns, draws=50, seed=4)
    assert [row["metric"] for row in rows] == list(binary.METRICS)
    assert all(list(row) == KEYS for row in rows)
    row = rows[0]
    drawn = bootstrap.bootstrap_binary(
        y, p, np.unique(patients, return_inverse=True)[1], bootstrap.draw_weights(40, 50, 4)
    )
    mean = np.mean([binary.binary_metrics(y, scores)["auroc"] for scores in p])
    summary = bootstrap.summarise(mean, drawn["auroc"])
    assert {name: row[name] for name in summary} == summary
    assert (row["n"], row["seeds"], row["subset"], row["level"]) == (80, 3, "all", "")
    assert row["published"] == 0.85 and rows[1]["published"] is None
    assert row["comparable"] == "no" and rows[1]["comparable"] == ""
    json.dumps(rows, allow_nan=False)


def test_draws_are_paired_over_models_and_row_order():
    y, p, patients = cohort()
    flip = slice(None, None, -1)
    one = binary_rows(y, p, patients, columns=COLUMNS, draws=20)
    other = binary_rows(y[flip], p[:, flip], patients[flip], columns=COLUMNS, draws=20)
    assert [row["std"] for row in one] == pytest.approx([row["std"] for row in other])


def test_one_class_gives_null_rows_and_a_warning(capsys):
    rows = binary_rows(np.zeros(6), np.linspace(0, 0.4, 6), np.arange(6), columns=COLUMNS, draws=10)
    auroc, accuracy = rows[0], rows[-1]
    assert (auroc["value"], auroc["std"], auroc["ci_low"], auroc["n_valid"]) == (None, None, None, 0)
    assert accuracy["value"] == 1 and accuracy["ci_low"] == pytest.approx(bootstrap.wilson(1.0, 6)[0])
    assert "synthetic lstm bce: auroc is undefined in 10 of 10 draws" in capsys.readouterr().err


def test_ties_are_told(capsys):
    binary_rows([0, 1, 0, 1], np.full(4, 0.5), np.arange(4), columns={}, draws=5)
    assert "100% of the scores are tied" in capsys.readouterr().err


def test_multilabel_rows_tell_absent_labels(capsys):
    rng = np.random.default_rng(1)
    y = np.c_[rng.integers(0, 2, (30, 2)), np.zeros(30)]
    rows = multilabel_rows(y, rng.random((2, 30, 3)), np.arange(30), columns=COLUMNS, draws=20)
    assert [row["metric"] for row in rows] == list(multilabel.METRICS)
    assert rows[0]["seeds"] == 2 and rows[0]["n_valid"] == 20
    assert "averages 2 of 3 labels" in capsys.readouterr().err


def test_each_label_is_scored_as_if_alone():
    rng = np.random.default_rng(2)
    y = np.c_[rng.integers(0, 2, (30, 2)), np.zeros(30)]
    p, patients = rng.random((2, 30, 3)), np.arange(30) // 2
    rows = multilabel_rows(y, p, patients, columns=COLUMNS, labels=["a", "b", "c"], draws=20)
    assert [(row["subset"], row["metric"]) for row in rows[3:]] == [(name, "auroc") for name in "abc"]
    alone = binary_rows(y[:, 1], p[:, :, 1], patients, columns=COLUMNS | {"subset": "b"}, draws=20)[0]
    assert rows[4] == alone and rows[5]["value"] is None
    defined = [row["value"] for row in rows[3:5]]
    assert rows[1]["value"] == pytest.approx(np.mean(defined))  # macro
    with pytest.raises(UserError, match="2 labels are named, but 3"):
        multilabel_rows(y, p, patients, columns=COLUMNS, labels=["a", "b"], draws=2)


def test_sampled_rows_average_over_draws_and_seeds():
    y, p, patients = cohort()
    draws = [p[:2], p[1:]]
    rows = sampled_rows(y, draws, patients, level="0.05", columns=COLUMNS, draws=40)
    by_subset = {row["subset"]: row for row in rows if row["metric"] == "average_precision"}
    assert list(by_subset) == ["all", "draw 0", "draw 1"]
    mean, one, other = by_subset.values()
    assert mean["value"] == pytest.approx((one["value"] + other["value"]) / 2)
    assert {(row["level"], row["seeds"], row["n"]) for row in rows} == {("0.05", 2, 80)}
    assert other == binary_rows(y, p[1:], patients, columns=COLUMNS | {"subset": "draw 1"}, draws=40)[1] | {
        "level": "0.05"
    }
    with pytest.raises(UserError, match=r"Level 0.05: the draws have \[2, 1\] seeds"):
        sampled_rows(y, [p[:2], p[2]], patients, level="0.05", columns=COLUMNS, draws=2)


def test_ranking_rows():
    ranks = {"exact": np.array([[1, 2, 0, 4], [1, 1, 0, 4]]), "chapter": np.array([1, 1, 0, 1])}
    answered = np.array([True, True, False, True])
    columns = {"track": "coding", "published": lambda level, metric: f"{level} {metric}"}
    rows = ranking_rows(ranks, answered, ["d1", "d1", "d2", "d3"], columns=columns, draws=30)
    by_name = {(row["level"], row["metric"]): row for row in rows}
    assert list(by_name) == [(level, metric) for level in ranks for metric in ranking.METRICS]
    assert by_name["exact", "recall"]["value"] == pytest.approx((1 / 4 + 2 / 4) / 2)
    assert by_name["exact", "recall"]["seeds"] == 2 and by_name["chapter", "recall"]["seeds"] == 1
    assert by_name["chapter", "r3"]["published"] == "chapter r3"
    # Two of the three documents hold all the answers.
    assert by_name["chapter", "precision"]["value"] == 1 and by_name["chapter", "recall"]["value"] == 0.75
    assert by_name["chapter", "precision"]["ci_low"] == pytest.approx(bootstrap.wilson(1.0, 2)[0])
    assert by_name["exact", "f1"]["n"] == 4 and by_name["exact", "f1"]["comparable"] == ""


def test_unknown_columns_and_empty_sets_are_refused():
    with pytest.raises(UserError, match="'modell' .did you mean 'model'"):
        binary_rows([0, 1], [0.1, 0.2], [0, 1], columns={"modell": "lstm"}, draws=2)
    with pytest.raises(UserError, match="empty"):
        binary_rows([], [], [], columns=COLUMNS)
