"""The smoke preset for real on a copy of the checkout; then what reruns and what does not."""

import csv
import json
import os

import pytest
from tests.runs import copy_checkout, job_counts, run_snakemake

from clinbench.provenance import REQUIRED

SMOKE = ("--configfile", "presets/smoke.yaml")

RISK_TABLES = (
    *("mortality_lstm", "mortality_concare", "phenotyping_lstm", "imbalance", "phenotypes"),
    *("cohort_statistics", "stay_lengths", "selected_settings", "running_time"),
    *("selection_leak", "learning_curves", "calibration", "subgroups"),
)
FIGURES = (
    *("tsne_mortality", "imbalance", "triplets", "scr_weights_mortality_lstm"),
    *("selection_leak_phenotyping_lstm", "learning_curves_mortality_concare"),
    *("calibration_mortality_lstm", "calibration_phenotyping_lstm"),
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    folder = copy_checkout(tmp_path_factory.mktemp("checkout"))
    done = run_snakemake("all", "--cores", 2, *SMOKE, cwd=folder)
    assert done.returncode == 0, done.stdout[-6000:]
    (folder / "output.txt").write_text(done.stdout)
    return folder


def replanned(checkout, *arguments):
    done = run_snakemake("all", "-n", *SMOKE, *arguments, cwd=checkout)
    assert done.returncode == 0, done.stdout
    return job_counts(done.stdout)


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_tables_and_figures_are_there_and_labelled(checkout):
    results = checkout / "results"
    for name in (*RISK_TABLES, "coding_icd10cm_inclusion_terms"):
        for suffix in ("tex", "md", "csv"):
            assert (results / f"tables/{name}.{suffix}").stat().st_size > 300
    for name in RISK_TABLES:
        for suffix in ("tex", "md"):
            assert "synthetic" in (results / f"tables/{name}.{suffix}").read_text().lower()
    for name in FIGURES:
        assert (results / f"figures/{name}.pdf").read_bytes()[:4] == b"%PDF"
        assert (results / f"figures/{name}.png").stat().st_size > 5000


def test_an_audit_that_would_choose_otherwise_changes_no_choice(checkout):
    path = checkout / "results/open/risk/synthetic/mortality_lstm/all/bce/seed=0/audit.run.json"
    before, made = path.read_bytes(), path.stat().st_mtime_ns
    audit = json.loads(before)
    assert [len(each["epochs"]) for each in audit["audit"]] == [2, 2]
    for each in audit["audit"]:
        each["test"]["auroc"] = 1 - each["test"]["auroc"]
    path.write_text(json.dumps(audit))
    counts = replanned(checkout)
    path.write_bytes(before)
    os.utime(path, ns=(made, made))
    assert {"study_table", "selection_leak_figure", "learning_curves_figure"} <= {*counts}
    assert not {"train_risk", "predict_risk", "evaluate_risk", "compare_risk", "risk_table"} & {*counts}


def test_a_level_with_too_few_positives_is_skipped_and_marked(checkout):
    text = (checkout / "results/tables/imbalance.md").read_text()
    assert "skipped" in text and "training positives expected, fewer than 5" in text
    with open(checkout / "results/tables/imbalance.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert {row["level"] for row in rows} == {"all", "0.05"}
    assert {row["subset"] for row in rows if row["level"] == "0.05"} == {"all", "draw 0"}


def test_every_phenotype_has_its_line(checkout):
    with open(checkout / "results/tables/phenotyping_lstm.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len({row["subset"] for row in rows if row["metric"] == "auroc"}) == 25
    path = checkout / "results/open/risk/synthetic/phenotyping_lstm/all/bce/seed=0/predictions.csv"
    assert path.read_text().splitlines()[0].split(",")[:3] == ["stay", "period_length", "pred_1"]


def test_the_run_ends_with_a_summary(checkout):
    output = (checkout / "output.txt").read_text()
    summary = output[output.rindex("steps (100%) done") :]
    assert "results/tables/mortality_lstm" in summary and "results/figures/tsne_mortality" in summary


def test_the_report_shows_all_tables_and_figures_and_the_manifest_their_hashes(checkout):
    html = (checkout / "results/report/index.html").read_text()
    manifest = json.loads((checkout / "results/manifest.json").read_text())
    made = {result["name"] for result in manifest["results"]}
    for name in [*(f"tables/{name}" for name in RISK_TABLES), *(f"figures/{name}" for name in FIGURES)]:
        assert f'id="{name.replace("/", "-")}"' in html, name
        assert name in made or name == "figures/imbalance"  # told with its table
    assert "Left out of this page" not in html and "synthetic data" in html
    assert "snakemake results/tables/imbalance.tex --configfile presets/smoke.yaml" in html
    assert manifest["jobs"]["train_risk"]["jobs"] > 10
    for text in (html, json.dumps(manifest)):
        assert str(checkout) not in text


def test_snakemakes_own_report_can_be_made(checkout):
    done = run_snakemake("all", "--report", "report.zip", *SMOKE, cwd=checkout)
    assert done.returncode == 0, done.stdout[-3000:]
    assert (checkout / "report.zip").stat().st_size > 100_000


def test_csv_rows_are_long_and_complete(checkout):
    with open(checkout / "results/tables/mortality_lstm.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert {row["system"] for row in rows} == {"bce", "bce_scr", "cbce_scr", "csce_scr", "gbt"}
    assert {row["metric"] for row in rows} == {"auroc", "auprc", "average_precision", "accuracy", "minpse"}
    assert all(float(row["ci_low"]) <= float(row["value"]) <= float(row["ci_high"]) for row in rows)
    assert all(int(row["n"]) > 0 for row in rows)


def test_the_ledger_measures_claims_on_synthetic_data_and_replicates_none(checkout):
    rows = json.loads((checkout / "results/claims.json").read_text())["claims"]
    assert {row["verdict"] for row in rows} == {"not testable here"}
    measured = {row["claim"]: row for row in rows if row["difference"] is not None}
    assert {"lstm_cbce_scr_auroc", "concare_csce_scr_auroc", "pheno_bce_scr_all", "time_lstm"} <= {*measured}
    assert not {"imbalance_5_cbce_scr", "imbalance_01_cbce_scr"} & {
        *measured
    }  # one draw, and too few positives
    assert all("synthetic" in row["why"] for row in measured.values())
    assert "not testable here" in (checkout / "results/claims.md").read_text()


def test_every_result_has_its_record(checkout):
    records = [*checkout.glob("results/**/run.json"), *checkout.glob("results/**/*.run.json")]
    assert len(records) > 25
    for path in records:
        record = json.loads(path.read_text())
        assert not [field for field in REQUIRED if field not in record], path


def test_row_level_files_stay_out_of_the_aggregates(checkout):
    for folder in ("tables", "figures", "metrics"):
        for path in (checkout / "results" / folder).rglob("*"):
            if path.is_file():
                assert b"_episode" not in path.read_bytes(), path


def test_a_rows_own_predictions_come_back_as_a_row_made_elsewhere(checkout):
    folder = checkout / "results/open/risk/synthetic/mortality_lstm/all/bce/seed=0"
    (checkout / "theirs.csv").write_text((folder / "predictions.csv").read_text())
    target = "results/metrics/risk/synthetic/mortality_lstm/theirs.json"
    more = ("--config", "risk={external: {theirs: {synthetic: {mortality_lstm: theirs.csv}}}}")
    done = run_snakemake(target, "--cores", 2, *SMOKE, *more, cwd=checkout)
    assert done.returncode == 0, done.stdout[-6000:]
    ours, theirs = (
        json.loads((checkout / target).with_name(f"{name}.json").read_text()) for name in ("bce", "theirs")
    )
    pairs = zip(ours["rows"], theirs["rows"], strict=True)
    assert all(one["value"] == other["value"] and one["std"] == other["std"] for one, other in pairs)
    assert theirs["rows"][0]["selection"] == "made elsewhere, not known"
    assert theirs["facts"]["search_budget"] is None


def test_predictions_have_the_benchmarks_columns(checkout):
    path = next(checkout.glob("results/open/risk/synthetic/mortality_lstm/all/bce/seed=0/predictions.csv"))
    header, first = path.read_text().splitlines()[:2]
    assert header == "stay,prediction,y_true"
    assert first.split(",")[0].endswith("_timeseries.csv")


def test_nothing_reruns_for_touches_comments_and_docstrings(checkout):
    for path in (checkout / "workflow_scripts").rglob("*.py"):
        os.utime(path)
    loss = checkout / "workflow_scripts/clinbench/risk/losses/csce.py"
    loss.write_text(
        '"""Another docstring."""\n\n# a comment\n' + loss.read_text().split('"""', 2)[2].lstrip()
    )
    assert replanned(checkout) == {}


def test_a_grid_change_reruns_its_row(checkout):
    counts = replanned(checkout, "--config", "risk={losses: {bce_scr: {scr_weights: [0.002]}}}")
    # three tables, and one draw of three levels of the imbalance study
    assert (counts["train_risk"], counts["predict_risk"], counts["evaluate_risk"]) == (3 + 3, 3, 3)
    assert "train_system" not in counts


def test_an_edited_loss_retrains_its_models_only(checkout):
    edit(
        checkout / "workflow_scripts/clinbench/risk/losses/csce.py",
        "positive - negative, labels",
        "2 * (positive - negative), labels",
    )
    counts = replanned(checkout)
    assert (counts["train_risk"], counts["predict_risk"]) == (3 + 3, 3)
    assert "train_system" not in counts
    assert "build_cohort" not in counts


def test_own_mentions_are_coded_by_a_two_stage_system(checkout):
    (checkout / "mentions.tsv").write_text("query\nwho is afraid of heights\nzzz\n")
    target = "results/private/coded/icd10cm_inclusion_terms/cross_encoder.tsv"
    more = ("--config", "coding={mentions_file: mentions.tsv, mentions_ranks: 3}")
    done = run_snakemake(target, "--cores", 2, *SMOKE, *more, cwd=checkout)
    assert done.returncode == 0, done.stdout[-6000:]
    rows = [line.split("\t") for line in (checkout / target).read_text().splitlines()]
    assert rows[0] == ["query_id", "query", "rank", "code", "text", "score"]
    assert [row[:3] for row in rows[1:4]] == [
        ["line:2", "who is afraid of heights", str(n)] for n in (1, 2, 3)
    ]
    assert len(rows) == 7
