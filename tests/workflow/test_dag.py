"""The DAG in dry-runs: what `all` makes, and mistakes told before any job."""

import resource

from tests.paths import ROOT
from tests.runs import job_counts


def seconds_of_children():
    """Return the processor seconds of all processes this one waited for: what else runs does not lengthen them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_all_makes_both_tracks(snakemake):
    done = snakemake("all", "-n")
    assert done.returncode == 0, done.stdout
    assert job_counts(done.stdout) == {
        "generate_cohort": 1,
        "build_cohort": 1,
        "train_risk": 8,
        "predict_risk": 4,
        "fit_baseline": 1,
        "evaluate_risk": 5,
        "compare_risk": 1,
        "risk_table": 1,
        "measure_running_time": 1,
        "evaluate_calibration": 1,
        "evaluate_subgroups": 1,
        "calibration_table": 1,
        "calibration_figure": 1,
        "subgroups_table": 1,
        "audit_search": 4,
        "study_table": 6,
        "scr_weights_figure": 1,
        "selection_leak_figure": 1,
        "learning_curves_figure": 1,
        "triplets_figure": 1,
        "tsne_figure": 1,
        "build_code_table": 1,
        "build_benchmark": 1,
        "mine_groups": 1,
        "mine_own_groups": 1,
        "embed_table": 1,
        "embed_trained": 1,
        "train_system": 2,
        "run_system": 4,
        "evaluate_coding": 4,
        "compare_coding": 1,
        "differences": 2,
        "coding_table": 1,
        "subsets_table": 1,
        "chapters_figure": 1,
        "shortlist_figure": 1,
        "claims": 1,
        "manifest": 1,
        "report": 1,
        "all": 1,
    }


def test_nothing_that_selects_or_is_measured_reads_the_audit_of_the_search(snakemake):
    cell = "results/open/risk/synthetic/mortality_lstm/all/bce_scr/seed=0"
    counts = job_counts(snakemake(f"{cell}/selected.json", "results/tables/mortality_lstm.tex", "-n").stdout)
    assert counts["predict_risk"] == 4 and "audit_search" not in counts
    counts = job_counts(snakemake(f"{cell}/audit.run.json", "-n").stdout)
    assert (counts["train_risk"], counts["audit_search"]) == (2, 1) and "predict_risk" not in counts


def test_seeds_multiply_what_is_trained_and_nothing_else(snakemake):
    counts = job_counts(snakemake("all", "-n", "--config", "seeds=[0,1,2]").stdout)
    assert (counts["train_risk"], counts["predict_risk"], counts["evaluate_risk"]) == (24, 12, 5)
    assert (counts["train_system"], counts["run_system"], counts["embed_table"]) == (6, 8, 1)


def test_the_papers_grids_are_planned_in_fewer_than_1500_jobs(snakemake, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    overlay = f"data={{mimic3: {data}, mimic3_resources: {data}}}"
    spent = []
    while not spent or (len(spent) < 3 and min(spent) >= 10):  # a machine shared with others slows at times
        before = seconds_of_children()
        done = snakemake("all", "-n", "--configfile", ROOT / "presets/paper.yaml", "--config", overlay)
        spent.append(seconds_of_children() - before)
    assert done.returncode == 0, done.stdout
    assert min(spent) < 10
    counts = job_counts(done.stdout)
    assert counts["train_risk"] == 5 * 4 * (5 + 2 + 3) + (1 + 3 * 3) * 5 * 4 * 4
    assert sum(counts.values()) < 1500


def test_the_leaking_protocol_searches_unequally_on_test(snakemake, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    overlay = f"data={{mimic3: {data}, mimic3_resources: {data}}}"
    cell = "results/private/risk/mimic3/mortality_lstm/all/{}/batch=64/seed=0/history.json"
    target = [cell.format(row) for row in ("bce", "cbce_scr")]
    preset = ("--configfile", ROOT / "presets/paper_leak.yaml", "--config", overlay)
    done = snakemake(*target, "-n", "--printshellcmds", *preset)
    assert done.returncode == 0, done.stdout
    assert job_counts(done.stdout)["train_risk"] == 2


def test_a_run_made_elsewhere_is_imported_and_not_run(snakemake, tmp_path):
    (tmp_path / "theirs.csv").write_text("query_id,code,score\n")
    done = snakemake("all", "-n", "--config", "coding={external: {theirs: theirs.csv}, systems: [bm25]}")
    assert done.returncode == 0, done.stdout
    counts = job_counts(done.stdout)
    assert (counts["import_run"], counts["run_system"], counts["evaluate_coding"]) == (1, 1, 2)


def test_predictions_made_elsewhere_are_imported_once_and_not_trained(snakemake, tmp_path):
    (tmp_path / "theirs.csv").write_text("stay,prediction\n")
    overlay = ("seeds=[0,1]", "risk={external: {theirs: theirs.csv}, rows: [bce]}", "tracks=[risk]")
    done = snakemake("all", "-n", "--config", *overlay)
    assert done.returncode == 0, done.stdout
    counts = job_counts(done.stdout)
    assert (counts["import_predictions"], counts["predict_risk"], counts["evaluate_risk"]) == (1, 2, 2)


def test_an_unknown_key_is_told_before_any_job(snakemake):
    done = snakemake("all", "-n", "--config", "risk={epoch: 3}")
    assert done.returncode != 0
    assert "risk: unknown key 'epoch'" in done.stdout
    assert "Traceback" not in done.stdout


def test_selected_data_that_are_not_set_are_told(snakemake):
    done = snakemake("all", "-n", "--config", "risk={cohorts: [physionet2012]}")
    assert done.returncode != 0
    assert "data.physionet2012" in done.stdout
    assert "ODC-BY" in done.stdout


def test_a_results_folder_that_cannot_be_written_is_told_at_once(snakemake, tmp_path):
    (tmp_path / "results").write_text("")
    done = snakemake("all", "-n")
    assert done.returncode != 0
    assert "not a writable folder" in done.stdout


def test_a_missing_encoder_stops_or_marks_the_row(snakemake):
    encoders = "encoders: {other: {folder: null, package: null, hub: nobody/nothing}}"
    retriever = "retrievers: {other: {kind: dense, encoder: other, optional: %s}}"
    template = "coding={systems: [bm25, other], %s, %s}"
    done = snakemake("all", "-n", "--config", template % (encoders, retriever % "false"))
    assert done.returncode != 0
    assert "nobody/nothing" in done.stdout
    done = snakemake("all", "-n", "--config", template % (encoders, retriever % "true"))
    assert done.returncode == 0, done.stdout
    assert job_counts(done.stdout)["run_system"] == 1


def test_mimic3_is_prepared_once_and_kept_private(snakemake, tmp_path):
    data = f"data={{mimic3: {tmp_path}, mimic3_resources: {tmp_path}}}"
    done = snakemake("export", "-n", "--config", data, "risk={cohorts: [mimic3]}", "tracks=[risk]")
    assert done.returncode == 0, done.stdout
    counts = job_counts(done.stdout)
    assert (counts["prepare_cohort"], counts["build_cohort"], counts["export"]) == (1, 1, 1)
    assert "tsne_figure" not in counts and "results/open/risk" not in done.stdout


def test_a_store_cannot_be_left(snakemake):
    done = snakemake("results/private/risk/synthetic/mortality.npz", "-n")
    assert "MissingRule" in done.stdout


def test_data_set_a_needs_the_queries_of_the_selected_benchmarks(snakemake):
    done = snakemake("results/supervision/A.jsonl", "-n")
    assert done.returncode == 0, done.stdout
    assert job_counts(done.stdout) == {"build_code_table": 1, "build_benchmark": 1, "make_supervision": 1}
    asked = snakemake("results/supervision/A.jsonl", "-n", "--config", "coding={supervision: {tutor: llm}}")
    assert asked.returncode != 0
    assert "coding.supervision.llm.base_url: null" in asked.stdout
    assert "Traceback" not in asked.stdout


def test_data_set_b_is_made_of_open_mentions_only(snakemake):
    counts = job_counts(snakemake("results/supervision/B.jsonl", "-n").stdout)
    assert (counts["mine_groups"], counts["copy_groups"]) == (1, 1)
    closed = "coding={icd10cm_inclusion_terms: {access: credentialed}}"
    refused = snakemake("results/supervision/B.jsonl", "-n", "--config", closed)
    assert refused.returncode != 0 and "is credentialed and stays in" in refused.stdout
