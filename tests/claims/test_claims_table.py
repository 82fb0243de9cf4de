"""The ledger as Markdown, LaTeX and CSV."""

import csv
import io

import pytest

from clinbench.claims.assess import assess
from clinbench.claims.ledger import families
from clinbench.provenance import REQUIRED
from clinbench.reporting.claims import CLAIMS, claims, tally
from clinbench.shareable import Site, reasons_to_refuse

RUN = dict.fromkeys(REQUIRED, 0) | {"git_commit": "0123456789abcdef", "git_dirty": False}
RUN["data_fingerprint"] = {"stays": 500, "sha256": "0" * 64}


@pytest.fixture
def table(record, place, plant):
    plant(record, "cbce_scr", "bce", "auroc", 0.02, 0.0001)
    plant(record, "csce_scr", "bce", "auroc", -0.02, 0.001)
    named = [family for family in families() if family.name in ("mortality_lstm", "distemist")]
    not_run = place(
        "distemist", dataset="distemist", model="", title="DISTEMIST, not run here", files=None, refused="no"
    )
    rows = assess(named, [place(), not_run], {"paired": record}, 5)
    facts = {
        "physionet2012": {"title": "PhysioNet 2012", "synthetic": False},
        "distemist": {"title": "DISTEMIST, not run here", "synthetic": False},
    }
    return claims(rows, facts, [RUN], 5)


def test_each_claim_is_a_line_with_its_verdict_numbers_and_reason(table):
    text = table.to_markdown()
    line = next(line for line in text.splitlines() if line.startswith("| CBCE+λSCR has a higher AUROC"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1:] == ["replicated", ".860 / .854", ".020", "[.018, .022]", "<.001", "4,000", "5"]
    assert "Of 10 verdicts 1 is replicated, 2 contradicted, 4 inconclusive, 3 not testable here." in text
    assert "not the paper's data, MIMIC-III" in text
    assert "the difference is in the opposite direction, and clear" in text
    assert "DISTEMIST, not run here" in text


def test_what_is_corrected_apart_though_of_the_same_predictions_is_told(record, place):
    named = [family for family in families() if family.name.startswith("mortality_lstm")]
    rows = assess(named, [place(), place("mortality_lstm_parts")], {"paired": record}, 5)
    facts = {"physionet2012": {"title": "PhysioNet 2012", "synthetic": False}}
    told = (
        "In-hospital mortality, LSTM: losses against BCE / In-hospital mortality, LSTM: what each term adds"
    )
    text = " ".join(claims(rows, facts, [RUN], 5).to_markdown().split())
    assert f"but corrected apart, so that errors add up: {told}" in text
    one = claims([row for row in rows if row["family"] == "mortality_lstm"], facts, [RUN], 5)
    assert "corrected apart" not in one.to_markdown()


def test_draws_of_the_training_stays_and_undefined_resamples_are_told(record, place, plant):
    record["training_draws"] = 3
    plant(record, "cbce_scr", "bce", "auroc", 0.02, 0.0001, n_valid=980)
    where = place("imbalance", files={"0.05": "paired"})
    (family,) = [family for family in families() if family.name == "imbalance"]
    rows = assess([family], [where], {"paired": record}, 5)
    facts = {"physionet2012": {"title": "PhysioNet 2012", "synthetic": False}}
    table = claims(rows, facts, [RUN], 5)
    lines = table.to_markdown().splitlines()
    assert next(line for line in lines if line.startswith("| With 5 %")).rstrip("| ").endswith("3 draws")
    assert "98.0 % of the resamples are defined" in table.to_markdown()
    row = next(csv.DictReader(io.StringIO(table.to_csv())))
    assert (row["seeds"], row["training_draws"], row["valid"]) == ("5", "3", "0.98")


def test_latex_is_ascii_and_has_one_float_a_block(table):
    text = table.to_latex()
    assert text.isascii() and text.count(r"\begin{table*}") == 2
    assert r"\label{tab:claims-physionet2012-mortality-lstm-mortality-lstm}" in text


def test_the_csv_has_a_row_a_claim_and_may_leave_the_site(table, tmp_path):
    text = table.to_csv()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert tuple(rows[0]) == CLAIMS.keys and len(rows) == 10
    row = next(row for row in rows if row["claim"] == "lstm_csce_scr_auroc")
    assert (row["verdict"], float(row["difference"])) == ("contradicted", pytest.approx(-0.02))
    assert [row["p_holm"] for row in rows if row["family"] == "distemist"] == ["", "", ""]
    path = tmp_path / "claims.csv"
    path.write_text(text)
    site = Site(frozenset({"10006"}), {"physionet2012": "PhysioNet 2012"}, {"physionet2012": 4000})
    assert reasons_to_refuse(path, site) == []
    path.write_text(text.replace("MIMIC-III", "of 10006", 1))
    assert "it holds an id" in " ".join(reasons_to_refuse(path, site))


def test_verdicts_are_counted_in_words():
    assert tally([]) == "There are no verdicts."
    assert tally([{"verdict": "not testable here"}] * 2) == "Of 2 verdicts 2 are not testable here."
