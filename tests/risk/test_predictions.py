"""Prediction files keep their columns and digits."""

import numpy as np
import pytest

from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError
from clinbench.risk.predictions import Predictions, read_probabilities

STAYS = np.array(["b", "a", "c"])


def cohort(labels):
    labels = np.array(labels, dtype=float)
    return Cohort(np.zeros((3, 1)), [0, 1, 2, 3], labels, STAYS, STAYS, ["test"] * 3, ["x"])


def written(path, test, p):
    Predictions(test.stays, test.lengths, test.labels, np.array(p, dtype=np.float32)).write(path)
    return path


def test_round_trip_is_exact_and_sorted(tmp_path):
    test, p = cohort([1, 0, 1]), [1 / 3, 1e-7, 0.5]
    path = written(tmp_path / "p.csv", test, p)
    assert [line.split(",")[0] for line in path.read_text().splitlines()] == ["stay", "a", "b", "c"]
    assert read_probabilities(path, test).astype(np.float32).tolist() == np.float32(p).tolist()


def test_several_labels_have_the_columns_of_the_benchmark(tmp_path):
    test, p = cohort([[1, 0], [0, 0], [1, 1]]), [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
    path = written(tmp_path / "p.csv", test, p)
    header, first = path.read_text().splitlines()[:2]
    assert header == "stay,period_length,pred_1,pred_2,label_1,label_2"
    assert first.startswith("a,1.000000,0.3") and first.endswith(",0,0")
    assert read_probabilities(path, test) == pytest.approx(np.array(p))


def test_mistakes_name_file_line_and_column(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("stay,prediction,y_true\na,high,0\nb,.1,1\nc,.2,1\n")
    with pytest.raises(UserError, match=r"p\.csv, line 2, column prediction: 'high'"):
        read_probabilities(path, cohort([1, 0, 1]))
    path.write_text("stay,score\na,1\n")
    with pytest.raises(UserError, match="columns stay, prediction, y_true expected"):
        read_probabilities(path, cohort([1, 0, 1]))


def test_predictions_of_other_stays_or_labels_are_refused(tmp_path):
    test = cohort([1, 0, 1])
    path = written(tmp_path / "p.csv", test, [0.1, 0.2, 0.3])
    with pytest.raises(UserError, match="labels"):
        read_probabilities(path, cohort([0, 0, 1]))
    with pytest.raises(UserError, match="stays"):
        read_probabilities(path, cohort([1, 0, 1]).select("train"))
