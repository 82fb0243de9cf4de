"""The figures of λ, of the imbalance study and of the triplets: what is drawn where, and refusals."""

import hashlib

import matplotlib
import numpy as np
import pytest
from tests.reporting.test_report_figures import texts_of
from tests.reporting.test_report_studies import LEVELS, SKIP, imbalance_record

from clinbench.errors import UserError
from clinbench.reporting import prevalence, sensitivity, triplet_curves
from clinbench.reporting.admission import admit
from clinbench.reporting.prevalence import plot_imbalance
from clinbench.reporting.sensitivity import Sensitivity, plot_scr_weights
from clinbench.reporting.studies import imbalance
from clinbench.reporting.style import line_styles
from clinbench.reporting.triplet_curves import Triplet, plot_triplets

GRID = [(0.001, 0.80), (0.001, 0.82), (0.003, 0.85), (0.01, 0.79)]


def panel(**changes):
    points = {"bce_scr": np.array(GRID), "bce": np.array([(0, 0.7), (0, 0.72)])}
    base = {"cohort": "Cohort", "synthetic": False, "model": "mortality_lstm", "metric": "auroc", "n": 61}
    return Sensitivity(**(base | {"points": points} | changes))


def study_records(skipped=True):
    records = [
        imbalance_record(system, level, draws)
        for system in ("bce", "csce_scr")
        for level, draws in (("all", [0.86]), ("0.05", [0.81, 0.79, 0.84]))
    ]
    absent = [SKIP | {"system": system} for system in ("bce", "csce_scr")]
    return records + [{"absent": absent}] * skipped


def triplet(**changes):
    margin = np.linspace(-1, 1, 21)
    curves = {"hinge": np.maximum(-margin, 0), "linear": np.log(2) - margin / 2}
    base = {"title": "SCR, τ = 0.1", "margin": margin, "exact": np.logaddexp(0, -margin)}
    return Triplet(**(base | {"approximations": curves} | changes))


def test_same_data_same_bytes(tmp_path):
    digests = []
    for name in ("a", "b"):
        paths = tmp_path / f"{name}.pdf", tmp_path / f"{name}.png"
        plot_imbalance(study_records(), *paths)
        digests.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in paths])
        matplotlib.rcParams["font.size"] = 20  # a user's style must not show
    matplotlib.rcdefaults()
    assert digests[0] == digests[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "a.png", "b.pdf", "b.png"]


@pytest.mark.parametrize(("plot", "given"), [(plot_scr_weights, [panel()]), (plot_triplets, [triplet()])])
def test_figures_are_written_without_dates(tmp_path, plot, given):
    plot(given, tmp_path / "a.pdf", tmp_path / "a.png")
    pdf, png = ((tmp_path / f"a.{kind}").read_bytes() for kind in ("pdf", "png"))
    assert pdf.startswith(b"%PDF") and b"CreationDate" not in pdf and b"/Font" in pdf
    assert png.startswith(b"\x89PNG")


def test_rows_are_told_apart_without_colour():
    styles = line_styles(["own", "gbt", "csce_scr", "csce", "bce", "bce_scr", "other"])
    assert list(styles) == ["bce", "bce_scr", "csce", "csce_scr", "gbt", "own", "other"]
    looks = [(style["marker"], style["markerfacecolor"] == "white") for style in styles.values()]
    assert len(set(looks)) == len(looks)
    assert styles["bce"]["color"] == styles["bce_scr"]["color"] != styles["csce"]["color"]


def test_lambda_zero_stands_apart_and_marks_are_means():
    (axis,) = sensitivity._draw([panel()]).axes
    ticks = [label.get_text() for label in axis.get_xticklabels()]
    assert ticks == ["0", "0.001", "0.003", "0.01"] and axis.get_xscale() == "log"
    assert 0 < axis.get_xticks()[0] < 0.001
    marks = [line for line in axis.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert sorted(round(float(y), 6) for line in marks for y in line.get_ydata()) == [0.71, 0.79, 0.81, 0.85]
    assert sum(len(dots.get_offsets()) for dots in axis.collections) == 6
    (level,) = [
        line for line in axis.lines if line.get_marker() == "None" and len(set(line.get_ydata())) == 1
    ]
    assert set(level.get_ydata()) == {0.71} and max(level.get_xdata()) == 0.01


def test_a_fine_grid_keeps_its_labels_apart():
    grid = np.arange(0.0005, 0.0101, 0.0005)
    points = {"bce_scr": np.c_[grid, np.linspace(0.7, 0.8, 20)]}
    (axis,) = sensitivity._draw([panel(points=points)]).axes
    shown = axis.get_xticks()
    assert shown[0] == grid[0] and shown[-1] == grid[-1] and 3 <= len(shown) <= 6
    assert np.diff(np.log10(shown)).min() > 0.15


def test_titles_name_cohort_model_n_and_synthetic_data():
    figure = sensitivity._draw([panel(synthetic=True), panel(cohort="Real")])
    texts = " ".join(" ".join(texts_of(figure)).replace("\u00a0", " ").split())
    assert "Cohort – synthetic data (LSTM; n = 61 validation stays)" in texts
    assert "Real (LSTM; n = 61 validation stays)" in texts and texts.count("synthetic") == 1
    assert "Validation AUROC" in texts


@pytest.mark.parametrize(
    ("panels", "told"),
    [
        ([], "no panels"),
        ([panel(points={})], "no rows"),
        ([panel(points={"bce": np.zeros((0, 2))})], r"\(M, 2\) of λ and score expected"),
        ([panel(points={"bce": np.array([[-1, 0.5]])})], "λ below 0"),
        ([panel(points={"bce": np.array([[0, np.nan]])})], "not finite"),
    ],
)
def test_trainings_that_cannot_be_drawn_are_refused(tmp_path, panels, told):
    with pytest.raises(UserError, match=told):
        plot_scr_weights(panels, tmp_path / "a.pdf", tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


def test_imbalance_draws_means_draws_and_what_was_skipped():
    taken = admit(study_records(), imbalance(LEVELS))
    (axis,) = prevalence._draw(prevalence._panels(taken, "auroc"), "auroc").axes
    ticks = [label.get_text() for label in axis.get_xticklabels()]
    assert ticks == ["0.1 %", "5 %", "\n15 % (all)"] and axis.get_xscale() == "log"
    assert axis.get_xticks().tolist() == [0.001, 0.05, 0.15]
    lines = [line for line in axis.lines if line.get_marker() in ("o", "^")]
    assert [line.get_ydata().tolist() for line in lines] == [[0.8, 0.8]] * 2
    bands = [shape for shape in axis.collections if shape.get_paths() and len(shape.get_paths()[0]) > 6]
    drawn = [offset[1] for shape in axis.collections for offset in shape.get_offsets() if offset[1]]
    assert sorted(drawn) == [0.79, 0.79, 0.81, 0.81, 0.84, 0.84, 0.86, 0.86] and len(bands) >= 2
    assert any("skipped: under 5 positives" in text.get_text() for text in axis.texts)
    title = " ".join(axis.get_title("left").replace("\u00a0", " ").split())
    assert title == "Cohort (LSTM; n = 500 test stays, 60 positive; 3 seeds)"


def test_imbalance_needs_the_size_of_the_full_set_and_numbers(tmp_path):
    paths = tmp_path / "a.pdf", tmp_path / "a.png"
    records = study_records()
    for record in records[:4]:
        record["facts"].pop("train_sizes")
    with pytest.raises(UserError, match="train_sizes of 'all'"):
        plot_imbalance(records, *paths)
    with pytest.raises(UserError, match=r"no numbers of Acc"):
        plot_imbalance(study_records(), *paths, metric="accuracy")
    assert not list(tmp_path.iterdir())


def test_triplets_draw_terms_above_and_errors_below():
    given = triplet()
    above, below = triplet_curves._draw([given]).axes
    assert [line.get_label() for line in above.lines] == ["exact", "hinge", "linear"]
    hinge = given.approximations["hinge"] - given.exact
    assert np.allclose(below.lines[0].get_ydata(), hinge) and hinge.min() == pytest.approx(-np.log(2))
    assert len({line.get_linestyle() for line in above.lines}) == 2  # solid, and dashes of their own
    texts = texts_of(above.figure)
    assert any("no data" in text for text in texts) and "margin s_ip − s_in" in texts


@pytest.mark.parametrize(
    ("panels", "told"),
    [
        ([], "no panels"),
        ([triplet(exact=np.zeros(3))], r"'exact' has shape \(3,\)"),
        ([triplet(approximations={"hinge": np.full(21, np.inf)})], "'hinge' holds"),
        ([triplet(approximations={str(at): np.zeros(21) for at in range(4)})], "4 kinds"),
    ],
)
def test_triplets_that_cannot_be_drawn_are_refused(tmp_path, panels, told):
    with pytest.raises(UserError, match=told):
        plot_triplets(panels, tmp_path / "a.pdf", tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
