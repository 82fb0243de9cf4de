"""The figures of the shortlist and of the chapters: what is drawn where, and refusals."""

import hashlib

import pytest
from tests.reporting.test_report_figures import texts_of

from clinbench.errors import UserError
from clinbench.reporting import chapters, shortlists
from clinbench.reporting.chapters import plot_chapters
from clinbench.reporting.shortlists import Shortlist, plot_shortlists


def panel(**changes):
    base = {
        "benchmark": "CodiEsp (dev part), answered from ICD-10-CM, English",
        "synthetic": False,
        "system": "cross_encoder",
        "model": "minilm",
        "first": "bi_encoder",
        "n": 3431,
        "sizes": [1, 2, 5, 10, 20, 50],
        "ceiling": [0.50, 0.57, 0.66, 0.72, 0.77, 0.83],
        "scores": {
            "recall": [0.50, 0.53, 0.54, 0.53, 0.52, 0.51],
            "map10": [0.58, 0.59, 0.6, 0.6, 0.6, 0.59],
        },
        "unranked": {"recall": 0.50, "map10": 0.58},
    }
    return Shortlist(**(base | changes))


@pytest.fixture
def records(coding_record):
    def make(system, model, base):
        record = coding_record(system=system, model=model)
        row = record["rows"][0]
        for chapter, n in ((1, 51), (9, 412), (18, 1072), (19, 230), (21, 44)):
            value = base + 0.01 * chapter
            interval = {"value": value, "ci_low": value - 0.05, "ci_high": value + 0.04, "n": n}
            record["rows"].append(
                row | interval | {"subset": f"chapter:{chapter}", "level": "exact", "metric": "map10"}
            )
        return record

    return [
        make("bm25", "", 0.05),
        make("minilm", "minilm", 0.2),
        make("bi_encoder", "minilm", 0.55),
        make("cross_encoder", "minilm", 0.6),
    ]


def test_the_shortlist_panel_shows_ceiling_scores_and_sizes():
    figure = shortlists._draw([panel(synthetic=True), panel(system="ours", model="")])
    left, right = figure.axes
    dashed, *_ = left.lines
    assert list(dashed.get_ydata()) == panel().ceiling
    assert [tick.get_text() for tick in left.get_xticklabels()] == ["1", "2", "5", "10", "20", "50"]
    assert left.get_title(loc="left") == "Cross-encoder (MiniLM) over Bi-encoder"
    assert right.get_title(loc="left") == "ours over Bi-encoder"
    title = figure.get_suptitle().replace("\n", " ")
    assert "synthetic data" in title and "3,431 mentions" in title


def test_chapters_stand_under_each_other_with_their_numbers(records):
    rows = [row for record in records for row in record["rows"] if row["subset"].startswith("chapter:")]
    figure = chapters._draw(rows, {"title": "CodiEsp", "synthetic": False})
    (axis,) = figure.axes
    labels = [text.get_text() for text in axis.get_yticklabels()]
    assert labels[0] == "1 Infections (51)" and labels[2] == "18 Symptoms, findings (1,072)"
    marks = [line for line in axis.lines if line.get_linestyle() == "None"]
    assert len(marks) == 5 * 4
    assert "BM25" in texts_of(figure) and "n\u00a0=\u00a01,809" in " ".join(texts_of(figure))


def test_same_data_same_bytes(tmp_path, records):
    digests = []
    for name in ("a", "b"):
        paths = [tmp_path / f"{name}{at}.{ending}" for at in (0, 1) for ending in ("pdf", "png")]
        plot_shortlists([panel()], *paths[:2])
        plot_chapters(records, *paths[2:])
        digests.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in paths])
    assert digests[0] == digests[1]


def test_what_cannot_be_drawn_is_refused(tmp_path, coding_record):
    paths = tmp_path / "a.pdf", tmp_path / "a.png"
    with pytest.raises(UserError, match="no panels"):
        plot_shortlists([], *paths)
    with pytest.raises(UserError, match="sizes must rise"):
        plot_shortlists([panel(sizes=[1, 2, 5, 10, 50, 20])], *paths)
    with pytest.raises(UserError, match="'ceiling' has shape"):
        plot_shortlists([panel(ceiling=[0.5])], *paths)
    with pytest.raises(UserError, match="several benchmarks"):
        plot_shortlists([panel(), panel(benchmark="other")], *paths)
    other = coding_record(system="bm25", dataset="other")
    with pytest.raises(UserError, match="one benchmark; given are other, "):
        plot_chapters([coding_record(system="bm25"), other], *paths)
    plot_chapters(
        [coding_record(system="bm25")], *paths
    )  # chapters too small to be scored: the picture says so
    assert paths[1].stat().st_size > 1000
