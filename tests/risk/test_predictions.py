"""Prediction files keep their columns and digits."""

import numpy as np
import pytest

from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError
from clinbench.risk.predictions import read_predictions, same_stays, write_predictions


def test_round_trip_is_exact_and_sorted(tmp_path):
    stays = np.array(["b", "a"])
    probabilities = np.array([1 / 3, 1e-7], dtype=np.float32)
    write_predictions(tmp_path / "p.csv", stays, probabilities, np.array([1.0, 0.0]))
    frame = read_predictions(tmp_path / "p.csv")
    assert frame["stay"].to_list() == ["a", "b"]
    assert frame["prediction"].to_numpy().astype(np.float32).tolist() == probabilities[::-1].tolist()
    assert frame["y_true"].to_list() == [0, 1]


def test_mistakes_name_file_line_and_column(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("stay,prediction,y_true\na,high,1\n")
    with pytest.raises(UserError, match="line 2, column prediction: 'high'"):
        read_predictions(path)
    path.write_text("stay,score\na,1\n")
    with pytest.raises(UserError, match="columns stay, prediction, y_true expected"):
        read_predictions(path)


def test_predictions_of_other_stays_or_labels_are_refused(tmp_path):
    stays = np.array(["b", "a"])
    test = Cohort(np.zeros((2, 1)), [0, 1, 2], [1, 0], stays, stays, ["test", "test"], ["x"])
    write_predictions(tmp_path / "p.csv", stays, np.array([0.5, 0.6]), test.labels)
    frame = read_predictions(tmp_path / "p.csv")
    same_stays(frame, test, "p.csv")
    with pytest.raises(UserError, match="labels"):
        same_stays(frame.with_columns(y_true=1 - frame["y_true"]), test, "p.csv")
    with pytest.raises(UserError, match="stays"):
        same_stays(frame[:1], test, "p.csv")
