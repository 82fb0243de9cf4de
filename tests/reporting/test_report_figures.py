"""The figure of embeddings: same bytes, right marks, refusals."""

import hashlib
import re
import zlib

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex

from clinbench.errors import UserError
from clinbench.reporting.figures import BLUE, ORANGE, RED, Panel, _draw, plot_tsne


def panel(cohort="Cohort $5_x", loss="bce", synthetic=False, n=20, **changes):
    rng = np.random.default_rng(n)
    made = {"coords": rng.standard_normal((n, 2)), "labels": np.arange(n) % 4 == 0, "anchors": np.eye(2)}
    return Panel(cohort=cohort, loss=loss, synthetic=synthetic, **(made | changes))


def texts_of(figure):
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_text()]


def test_same_data_same_bytes(tmp_path):
    panels = [panel(), panel(loss="bce_scr"), panel("Made up", synthetic=True)]
    digests = []
    for name in ("a", "b"):
        paths = tmp_path / f"{name}.pdf", tmp_path / f"{name}.png"
        plot_tsne(panels, *paths)
        digests.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in paths])
        matplotlib.rcParams["font.size"] = 20  # a user's style must not show
    matplotlib.rcdefaults()
    assert digests[0] == digests[1]
    pdf, png = ((tmp_path / f"a.{kind}").read_bytes() for kind in ("pdf", "png"))
    assert pdf.startswith(b"%PDF") and png.startswith(b"\x89PNG") and b"CreationDate" not in pdf
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "a.png", "b.pdf", "b.png"]


def test_points_are_pixels_and_text_is_text(tmp_path):
    plot_tsne([panel(n=2000)], tmp_path / "a.pdf", tmp_path / "a.png")
    pdf = (tmp_path / "a.pdf").read_bytes()
    streams = [zlib.decompress(found) for found in re.findall(rb"stream\r?\n(x.*?)\r?\nendstream", pdf, re.S)]
    assert b"/Subtype /Image" in pdf and b"/Font" in pdf
    assert sum(stream.count(b" m\n") for stream in streams if b" Tj" in stream or b" TJ" in stream) < 100


def test_rows_are_cohorts_and_columns_losses_in_the_papers_order():
    figure = _draw([panel(loss="csce_scr"), panel(loss="bce"), panel("B", "bce")])
    rows = [[axis.get_title() for axis in row.axes] for row in figure.subfigs]
    assert rows == [["BCE", "CSCE+λSCR"]] * 2
    assert texts_of(figure).count("not available") == 1


def test_marks_are_those_of_the_paper():
    axis = _draw([panel()]).subfigs[0].axes[0]
    negative, positive, *anchors = axis.collections
    colours = [to_hex(marks.get_facecolor()[0]) for marks in (negative, positive, *anchors)]
    assert colours == [BLUE, ORANGE, RED, RED]
    assert len(negative.get_offsets()) == 15 and len(positive.get_offsets()) == 5
    assert [marks.get_offsets().tolist() for marks in anchors] == [[[1, 0]], [[0, 1]]]
    assert negative.get_rasterized() and positive.get_rasterized() and not anchors[0].get_rasterized()
    assert min(marks.get_zorder() for marks in anchors) > positive.get_zorder()
    assert anchors[0].get_sizes()[0] > 3 * negative.get_sizes()[0]
    assert not axis.get_xticks().size and not axis.get_yticks().size


def test_cohort_n_and_synthetic_are_told():
    figure = _draw([panel(synthetic=True, perplexity=6.3333), panel("Real")])
    titles = " ".join(" ".join(texts_of(figure)).split())
    assert "Cohort $5_x – synthetic data (n = 20, 5 positive; perplexity 6.33)" in titles
    assert "Real (n = 20, 5 positive)" in titles and titles.count("synthetic") == 1
    for word in ("positive anchor", "negative anchor"):
        assert word in titles


@pytest.mark.parametrize(
    ("panels", "told"),
    [
        ([], "no panels"),
        ([panel(), panel()], "two panels"),
        ([panel(labels=np.zeros(3))], "expected"),
        ([panel(labels=np.full(20, 2))], "other than 0 and 1"),
        ([panel(anchors=np.zeros((1, 2)))], "expected"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path, panels, told):
    with pytest.raises(UserError, match=told):
        plot_tsne(panels, tmp_path / "a.pdf", tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
