"""Rankings and TREC runs."""

import numpy as np
import pytest

from clinbench.coding.runs import read_run, sort_ranking, top_indices, write_run
from clinbench.errors import UserError


def literal_ranking(codes, scores, depth):
    best = {}
    for code, score in zip(codes, scores, strict=True):
        best[code] = max(score, best.get(code, -np.inf))
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))[:depth]


@pytest.mark.parametrize("depth", [0, 1, 3, 10, 200])
@pytest.mark.parametrize("repeats", [1, 5])
def test_sort_ranking_equals_sorting_everything(depth, repeats):
    rng = np.random.default_rng(depth + repeats)
    for _ in range(30):
        n = int(rng.integers(1, 120))
        codes = [f"C{number:02d}" for number in rng.integers(0, max(1, n // repeats) + 1, n)]
        scores = rng.integers(-3, 4, n).astype(float)  # many ties
        assert sort_ranking(codes, scores, depth) == literal_ranking(codes, scores, depth)


def test_ties_go_by_code_not_by_place():
    assert sort_ranking(["B", "A", "C"], [1.0, 1.0, 2.0], 2) == [("C", 2.0), ("A", 1.0)]
    assert sort_ranking([f"X{at}" for at in range(9, -1, -1)], np.zeros(10), 3) == [
        (f"X{at}", 0.0) for at in range(3)
    ]
    assert sort_ranking([], [], 5) == []


def test_nan_is_refused_with_its_code():
    with pytest.raises(UserError, match="code B is not a number"):
        sort_ranking(["A", "B"], [1.0, float("nan")], 2)


def test_top_indices_keeps_all_ties_of_the_last():
    assert sorted(top_indices(np.array([1.0, 5, 3, 3, 3, 0]), 2)) == [1, 2, 3, 4]


def test_run_round_trip_is_exact(tmp_path):
    rankings = [[("A00", 1 / 3), ("B00", 1e-300)], [], [("Z3A", float(np.float32(0.1)))]]
    write_run(tmp_path / "run.txt", ["d:1", "d:2", "d:3"], rankings, "bm25")
    assert (tmp_path / "run.txt").read_text().splitlines()[0] == f"d:1 Q0 A00 1 {1 / 3!r} bm25"
    assert read_run(tmp_path / "run.txt") == {"d:1": rankings[0], "d:3": rankings[2]}


def test_run_is_ordered_by_score_whatever_the_file_says(tmp_path):
    (tmp_path / "run.txt").write_text("q Q0 B 1 0.5 s\nq Q0 C 2 0.9 s\nq Q0 A 3 0.5 s\n")
    assert [code for code, _ in read_run(tmp_path / "run.txt")["q"]] == ["C", "A", "B"]


def test_run_mistakes_are_named(tmp_path):
    file = tmp_path / "run.txt"
    file.write_text("q Q0 A 1 0.5 s\nq Q0 A 2 0.4 s\nq Q0 B 3 high s\nq B 0.1\nq Q0 C 4 nan s\n")
    with pytest.raises(UserError, match=r"(?s)line 2: code A is listed twice.*line 3.*line 4.*line 5"):
        read_run(file)
    with pytest.raises(UserError, match="no such run"):
        read_run(tmp_path / "none.txt")
    with pytest.raises(UserError, match="2 queries but 1"):
        write_run(file, ["a", "b"], [[]], "s")
    with pytest.raises(UserError, match="'a b'"):
        write_run(file, ["a b"], [[]], "s")
