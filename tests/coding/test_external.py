"""Runs made elsewhere, in both forms."""

import pytest

from clinbench.coding.external import read_external
from clinbench.errors import UserError

IDS = ["dev:1", "dev:2", "dev:3"]
POOL = {"I10", "W19", "R50"}


def read(folder, text, depth=10):
    path = folder / "run.txt"
    path.write_text(text, encoding="utf-8")
    return read_external(path, IDS, POOL, depth)


def test_a_csv_and_a_trec_run_give_the_same(tmp_path):
    rankings, counts = read(
        tmp_path, "query_id,code,score\ndev:3,i10,0.5\ndev:3,R50,0.5\ndev:3,w19.xxx,2\ndev:1,Z99,1e-3\n"
    )
    assert rankings == [[("Z99", 0.001)], [], [("W19", 2.0), ("I10", 0.5), ("R50", 0.5)]]
    assert counts == {
        "answered": 2,
        "respelt": {"placeholder X removed": 1, "upper-cased": 2},
        "outside_pool": 1,
    }
    trec = "dev:3 Q0 i10 2 0.5 x\ndev:3 Q0 R50 3 0.5 x\ndev:3 Q0 w19.xxx 1 2 x\ndev:1 Q0 Z99 1 1e-3 x\n"
    assert read(tmp_path, trec) == (rankings, counts)
    assert read(tmp_path, trec, depth=1)[0] == [[("Z99", 0.001)], [], [("W19", 2.0)]]


def test_spellings_of_one_code_keep_the_best_score(tmp_path):
    assert read(tmp_path, "query_id\tcode\tscore\ndev:1\tI10\t1\ndev:1\ti10.\t3\n")[0][0] == [("I10", 3.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query_id,code,score\ndev:9,I10,1\n", r"(?s)look like 'dev:1'.*'dev:9'"),
        ("query_id,code,score\ndev:1,PRESSURE,1\n", "query dev:1: 'PRESSURE'"),
        ("query_id,code,score\ndev:1,I10,high\n", "line 2: the score 'high'"),
        ("query_id,code,score\ndev:1,I10,1\ndev:2,I10,1\ndev:1,I10,2\n", "line 4: code I10 is listed twice"),
        ("dev:1 Q0 I10 1 1 x\ndev:2 Q0 I10 1 1 x\ndev:1 Q0 I10 2 2 x\n", "line 3: code I10 is listed twice"),
        ("query_id,code\ndev:1,I10\n", "no column 'score'"),
        ("dev:1 I10 1\n", "not a TREC run"),
    ],
)
def test_mistakes_are_named(tmp_path, text, message):
    with pytest.raises(UserError, match=message):
        read(tmp_path, text)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match="no such run file"):
        read_external(tmp_path / "none.csv", IDS, POOL, 5)
