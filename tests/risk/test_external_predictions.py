"""Predictions made elsewhere: read by name, and refused with row and column."""

import csv

import numpy as np
import pytest

from clinbench.cohorts.tensors import Cohort
from clinbench.errors import UserError
from clinbench.risk.external import read_external
from clinbench.risk.predictions import read_probabilities

STAYS = ["d", "b", "a", "c", "t"]


def cohort(labels):
    n = len(labels)
    split = ["test"] * (n - 1) + ["train"]
    names = np.array(STAYS)
    return Cohort(np.zeros((n, 1)), np.arange(n + 1), np.array(labels, float), names, names, split, ["x"])


def read(tmp_path, text, labels=(1, 0, 1, 0, 1)):
    (tmp_path / "theirs.csv").write_text(text)
    return read_external(tmp_path / "theirs.csv", cohort(labels))


def refusal(tmp_path, text, **more):
    with pytest.raises(UserError) as caught:
        read(tmp_path, text, **more)
    return str(caught.value)


def test_rows_and_columns_may_stand_in_any_order(tmp_path):
    found, counts = read(tmp_path, "y_true,prediction,stay\n0,0.25,c\n1,1e-3,a\n,0.5,b\n1,1,d\n")
    assert dict(zip(found.stays.tolist(), found.probabilities, strict=True)) == {
        "d": 1.0, "b": 0.5, "a": 0.001, "c": 0.25
    }  # fmt: skip
    assert found.labels.tolist() == [1, 0, 1, 0] and counts == {"labels_compared": 3}


def test_what_was_read_is_written_as_the_suites_own_rows_are(tmp_path):
    found, counts = read(tmp_path, "stay,prediction\nd,.4\nb,.1\na,.2\nc,.3\n")
    found.write(tmp_path / "predictions.csv")
    assert (tmp_path / "predictions.csv").read_text().splitlines()[:2] == [
        "stay,prediction,y_true",
        "a,0.2,1",
    ]
    test = cohort([1, 0, 1, 0, 1]).select("test")
    assert read_probabilities(tmp_path / "predictions.csv", test).tolist() == [0.4, 0.1, 0.2, 0.3]
    assert counts == {"labels_compared": 0}


def test_several_labels_come_in_the_wide_form(tmp_path):
    labels = [[1, 0], [0, 0], [1, 1], [0, 1], [1, 1]]
    text = (
        "stay,period_length,pred_1,pred_2,label_1,label_2\n"
        "d,9.5,.1,.2,1,0\nb,9,.3,.4,0,0\na,9,.5,.6,1,1\nc,9,.7,.8,0,1\n"
    )
    found, counts = read(tmp_path, text, labels)
    assert found.probabilities.tolist() == [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8]]
    assert counts == {"labels_compared": 8}
    told = refusal(tmp_path, text.replace(".8,0,1", "nan,0,0"), labels=labels)
    assert "line 5, column 'pred_2': 'nan' is no finite number" in told
    assert "line 5, column 'label_2': '0' is not 1, the cohort's label" in told
    assert "no column 'pred_1'" in refusal(tmp_path, "stay,prediction\nd,.1\n", labels=labels)


def test_all_mistakes_are_told_at_once_with_line_and_column(tmp_path):
    text = "stay,prediction,y_true\nd,NaN,1\nb,inf,0\na,1.5,1\nc,-1e-9,1\nb,0.5,0\nnobody,0.5,0\nt,0.5,1\n,0.5,\n"
    told = refusal(tmp_path, text)
    place = str(tmp_path / "theirs.csv")
    for sentence in (
        "line 2, column 'prediction': 'NaN' is no finite number",
        "line 3, column 'prediction': 'inf' is no finite number",
        "line 4, column 'prediction': '1.5' is no probability, from 0 to 1",
        "line 5, column 'prediction': '-1e-9' is no probability",
        "line 5, column 'y_true': '1' is not 0, the cohort's label of this stay",
        "line 6, column 'stay': 'b' is there before, in line 3; keep one",
        "line 7, column 'stay': 'nobody' is no stay of the cohort, whose test stays look like 'd'",
        "line 8, column 'stay': 't' is a stay of the train split; leave it out",
        "line 9, column 'stay': '' is no stay of the cohort",
    ):
        assert f"{place}, {sentence}" in told
    told = refusal(tmp_path, "stay,prediction\nd,.1\nb,high\n")
    assert "'high' is no finite number" in told
    assert "test stay 'a' has no line" in told and "test stay 'c' has no line" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("stay,score\nd,1\n", "no column 'prediction'"),
        ("stay,prediction,y_ture\nd,1,0\n", "'y_ture' (did you mean 'y_true'?)"),
        ("stay,prediction,prediction\nd,1,0\n", "column 'prediction' twice"),
        ("stay,prediction\n", "no line below the header"),
        ("stay,prediction\nd,1,0\n", "line 2: 3 fields"),
        ("", "the file is empty"),
    ],
)
def test_files_of_another_form_are_refused(tmp_path, text, told):
    assert told in refusal(tmp_path, text)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UserError, match="no such file of predictions"):
        read_external(tmp_path / "none.csv", cohort([1, 0, 1, 0, 1]))


@pytest.mark.parametrize("text", ["stay,prediction\rd,1\r", f"{'x' * 200_000},stay\nd,1\n"])
def test_a_header_that_is_none_is_told(tmp_path, text):
    csv.field_size_limit(1 << 17)  # Python's own
    said = refusal(tmp_path, text)
    assert "theirs.csv, line 1: the header has no column '" in said and len(said) < 2000
