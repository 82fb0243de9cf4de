"""Selection leak and learning curves: numbers worked by hand, tables, figures."""

import csv
import hashlib
import io

import pytest
from tests.reporting.conftest import RUN
from tests.reporting.test_report_figures import texts_of
from tests.reporting.test_report_latex import braces_balance

from clinbench.errors import UserError
from clinbench.reporting import leak_figure, learning_figure, study_rows
from clinbench.reporting.leak_figure import plot_selection_leak
from clinbench.reporting.leak_table import leak_rows, selection_leak
from clinbench.reporting.learning_figure import plot_learning_curves
from clinbench.reporting.learning_table import learning_curves
from clinbench.reporting.published_studies import gain
from clinbench.reporting.searches import by_block, pooled
from clinbench.reporting.summary import summary
from clinbench.shareable import Site, reasons_to_refuse

SCORES = [(0.70, 0.80), (0.72, 0.78), (0.71, 0.83)]  # validation, test


def training(val, test, epochs=(0.6, None, 0.5), epoch=1):
    scores = {"val": {"auroc": val}, "test": {"auroc": test}}
    return {"batch_size": 64, "scr_weight": 0.0, "init": 0, "epoch": epoch, "epochs": list(epochs), **scores}


def record(system="bce", seed=0, scores=SCORES, selection="validation auroc", cohort="physionet2012", **more):
    splits = {"val": {"stays": 50}, "test": {"stays": 400}}
    return RUN | {
        "wildcards": {"cohort": cohort, "model": "mortality_lstm", "row": system},
        "data_fingerprint": {"splits": splits},
        "audit": [training(*pair, **more) for pair in scores],
        **{"seed": seed, "task": "mortality", "selection": selection},
    }


def rows(*records):
    return [row for one in records for row in study_rows.search_rows(one)]


def two_seeds(system, shift=0.0):
    return [record(system, seed, [(v, t + shift + seed / 100) for v, t in SCORES]) for seed in (0, 1)]


def test_the_leak_is_what_the_best_test_score_adds_to_the_validated_one():
    (line,) = leak_rows(pooled(rows(record())))
    assert (line["compared"], line["trainings"], line["n"]) == (3, 3, 400)
    assert line["single"] == pytest.approx(2.41 / 3) and line["single_std"] == pytest.approx(0.0251661)
    assert (line["on_validation"], line["on_test"]) == pytest.approx((0.78, 0.83))
    assert line["leak"] == pytest.approx(0.05) and line["search_gain"] is None


def test_seeds_are_pooled_and_one_seeds_search_is_compared():
    (line,) = leak_rows(pooled(rows(*two_seeds("cbce_scr"))))
    assert (line["compared"], line["trainings"]) == (3, 6)
    # Test scores .78 .79 .80 .81 .83 .84, best of 3 of 6: 10, 6, 3 and 1 of 20 sets.
    assert line["on_test"] == pytest.approx((10 * 0.84 + 6 * 0.83 + 3 * 0.81 + 0.80) / 20)
    # The published row without SCR compared 5, one with it 105; there are 6: best of 5 is .84 in 5 of 6 sets.
    assert (line["few"], line["many"], line["published_many"]) == (5, 6, 105)
    assert line["search_gain"] == pytest.approx(0.84 - (5 * 0.84 + 0.83) / 6)
    assert line["published_gain"] == 0.006


def test_rows_are_compared_at_one_size_even_with_unequal_budgets():
    lines = leak_rows(pooled(rows(record("bce", scores=SCORES[:2]), record("bce_scr"))))
    assert [(line["system"], line["trainings"], line["compared"]) for line in lines] == [
        ("bce", 2, 2),
        ("bce_scr", 3, 2),
    ]


def test_published_gains_are_over_bce_of_the_same_table():
    assert gain("mortality", "mortality_concare", "cbce_scr", "auroc") == 0.004
    assert gain("phenotyping", "phenotyping_lstm", "bce_scr", "micro_auroc") == 0.002
    assert gain("mortality", "mortality_lstm", "bce", "auroc") is None
    assert gain("mortality", "mortality_lstm", "bce_scr", "average_precision") is None


def test_undefined_test_scores_are_told_and_left_out():
    table = selection_leak(rows(record(scores=[(0.7, None)])), {}, [RUN])
    (line,) = table.blocks[0].lines
    assert [cell.value for cell in line.cells] == ["1", "–", "–", "–", "–", "–", "–", ""]
    texts = texts_of(leak_figure._draw([pooled(rows(record(scores=[(0.7, None)])))]))
    assert sum("undefined" in text for text in texts) == 2


def test_the_last_epoch_stands_beside_the_selected_one():
    given = rows(
        record("bce", epochs=(0.7, 0.8, 0.6), epoch=2), record("bce", 1, epochs=(0.9, 0.5, None), epoch=1)
    )
    table = learning_curves(given, {}, [RUN])
    (row,) = table.rows
    # Trainings whose last epoch is undefined have no change and are left out of both means.
    assert (row["selected"], row["last"], row["change"]) == pytest.approx((0.8, 0.6, -0.2))
    assert (row["epoch"], row["epoch_min"], row["epoch_max"], row["epochs"], row["n"]) == (1.5, 1, 2, 3, 50)
    assert (row["published_val"], row["published_val_last"], row["published_test_last"]) == (
        None,
        0.8312,
        0.8232,
    )


@pytest.mark.parametrize("build", [selection_leak, learning_curves])
def test_tables_name_data_n_and_code_and_stamp_a_leak(tmp_path, build):
    given = rows(*two_seeds("bce_scr"), record("bce", cohort="synthetic", selection="test auroc"))
    table = build(given, {}, [RUN])
    text, latex = table.to_markdown(), table.to_latex()
    assert "Synthetic data:" in text and "commit 0123456789" in text and "selected on the test set" in text
    assert latex.isascii() and braces_balance(latex)
    read = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert tuple(read[0]) == table.keys and len(read) == 2
    (tmp_path / "t.csv").write_text(table.to_csv())
    assert summary([tmp_path / "t.csv"], []).strip() == f"Table   {tmp_path}/t.csv"
    assert not reasons_to_refuse(
        tmp_path / "t.csv", Site(frozenset(), {"physionet2012": "PhysioNet 2012"}, {})
    )
    assert "optimistic." not in build(rows(record()), {}, [RUN]).to_markdown()


def test_the_leak_is_drawn_from_one_training_to_all_on_both_picks():
    (block,) = by_block(pooled(rows(*two_seeds("bce"), *two_seeds("cbce_scr")))).values()
    on_test, on_validation = leak_figure._draw([block]).axes
    lines = [line for line in on_test.lines if len(line.get_xdata()) == 6]
    assert len(lines) == 2 and lines[0].get_ydata()[0] == 0
    assert lines[0].get_ydata()[-1] == pytest.approx(0.84 - 4.85 / 6)
    assert on_test.get_ylim() == on_validation.get_ylim() and on_test.get_xscale() == "log"
    texts = texts_of(on_test.figure)
    assert sum(text == "published gain .006: CBCE+λSCR" for text in texts) == 2
    assert {"BCE: 5", "with SCR: 105"} <= {*texts}
    title = " ".join(on_test.get_title("left").replace("\u00a0", " ").split())
    assert "picked on test; LSTM; n = 400 test stays" in title


def test_learning_curves_have_mean_range_and_the_selected_epoch():
    given = rows(record("bce", scores=SCORES[:1], epochs=(0.7, 0.8, 0.6), epoch=2))
    given += rows(record("bce", 1, SCORES[:1], epochs=(0.5, 0.9), epoch=2, cohort="physionet2012"))
    (axis,) = learning_figure._draw([pooled(given)]).axes
    mean, mark = axis.lines
    assert mean.get_ydata().tolist() == pytest.approx([0.6, 0.85, 0.6])
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == pytest.approx((2, 0.85))
    (band,) = axis.collections
    assert band.get_paths()[0].vertices[:, 1].min() == 0.5 and band.get_paths()[0].vertices[:, 1].max() == 0.9
    title = " ".join(axis.get_title("left").replace("\u00a0", " ").split())
    assert "n = 50 validation stays; 2 trainings a loss" in title and axis.get_ylabel() == "Validation AUROC"


@pytest.mark.parametrize("plot", [plot_selection_leak, plot_learning_curves])
def test_same_data_same_bytes_and_synthetic_data_are_labelled(tmp_path, plot):
    given = rows(*two_seeds("bce"), record("csce_scr", cohort="synthetic"))
    digests = []
    for name in ("a", "b"):
        plot(given, tmp_path / f"{name}.pdf", tmp_path / f"{name}.png")
        pdf, png = ((tmp_path / f"{name}.{kind}").read_bytes() for kind in ("pdf", "png"))
        digests.append(hashlib.sha256(pdf + png).hexdigest())
    assert digests[0] == digests[1] and pdf.startswith(b"%PDF") and png.startswith(b"\x89PNG")
    draw = leak_figure._draw if plot is plot_selection_leak else learning_figure._draw
    texts = [" ".join(text.split()) for text in texts_of(draw(list(by_block(pooled(given)).values())))]
    assert any("– synthetic data" in text for text in texts)
    assert not any("PhysioNet" in text and "synthetic data" in text for text in texts)


def test_searches_without_trainings_are_refused(tmp_path):
    with pytest.raises(UserError, match="no rows were given"):
        selection_leak([], {}, [RUN])
    with pytest.raises(UserError, match="physionet2012, mortality_lstm, bce"):
        plot_selection_leak(rows(record(scores=[])), tmp_path / "a.pdf", tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
