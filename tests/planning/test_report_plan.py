"""What is made, pictured and shared."""

import json
from types import SimpleNamespace

from planning.coding import CodingPlan
from planning.paired import PairedPlan
from planning.reports import ReportPlan
from planning.risk import RiskPlan
from planning.sharing import SharingPlan
from planning.studies import StudyPlan


def test_an_absent_optional_system_leaves_the_table_and_is_named(config):
    config["coding"]["encoders"]["nowhere"] = {"hub": "nobody/nothing"}
    config["coding"]["retrievers"]["other"] = {"kind": "dense", "encoder": "nowhere", "optional": True}
    config["coding"]["systems"].append("other")
    reports = ReportPlan(RiskPlan(config), CodingPlan(config))
    cell = SimpleNamespace(benchmark="icd10cm_inclusion_terms")
    assert not [path for path in reports.coding_metrics(cell) if "other" in path]
    (row,) = json.loads(reports.absent_rows(cell))
    assert (row["system"], row["model"]) == ("other", "nowhere")
    assert "nobody/nothing" in row["reason"]


def test_all_follows_the_selected_tracks(config):
    config["tracks"] = ["coding"]
    reports = ReportPlan(RiskPlan(config), CodingPlan(config))
    assert reports.targets() == [
        "results/tables/coding_icd10cm_inclusion_terms.tex",
        "results/tables/coding_subsets.tex",
        "results/tables/coding_differences.tex",
        "results/figures/coding_chapters_icd10cm_inclusion_terms.pdf",
        "results/figures/coding_shortlist_icd10cm_inclusion_terms.pdf",
        "results/claims.tex",
    ]


def test_the_shortlist_figure_pairs_the_runs_of_each_seed(config):
    config["coding"]["retrievers"]["cross_encoder"]["candidates"] = "bm25"
    config["coding"]["systems"] = ["bm25", "cross_encoder"]
    reports = ReportPlan(RiskPlan(config), CodingPlan(config | {"seeds": [4, 5]}))
    cell, folder = SimpleNamespace(benchmark="codiesp"), "results/open/coding/codiesp"
    (entry,) = json.loads(reports.shortlist_systems(cell))
    assert (entry["system"], entry["first"], entry["model"], entry["shortlist"]) == (
        *("cross_encoder", "bm25", "minilm"),
        config["coding"]["retrievers"]["cross_encoder"]["shortlist"],
    )
    bm25 = f"{folder}/bm25/seed=4/run.trec"
    own = [f"{folder}/cross_encoder/seed={seed}/run.trec" for seed in (4, 5)]
    assert reports.shortlist_runs(cell) == [bm25, *own]
    config["coding"]["systems"] = ["bm25"]
    assert not [path for path in reports.targets() if "shortlist" in path]


def test_pictures_of_credentialed_stays_are_private(config):
    config["risk"]["synthetic"]["access"] = "credentialed"
    reports = ReportPlan(RiskPlan(config), CodingPlan(config))
    figures = [path for path in reports.targets() if "tsne" in path]
    assert figures == ["results/private/figures/tsne_mortality.pdf"]
    files = reports.tsne_files("embeddings.npz")(SimpleNamespace(task="mortality", place="private/"))
    assert files and all(path.startswith("results/private/risk/synthetic/") for path in files)


def sharing_of(config):
    risk = RiskPlan(config)
    reports, studies = ReportPlan(risk, CodingPlan(config)), StudyPlan(risk)
    return SharingPlan(reports, studies, PairedPlan(reports, studies))


def test_figures_of_credentialed_stays_are_shared_on_request_only(config):
    config["risk"]["synthetic"] |= {"access": "credentialed", "allow_figures": True}
    sharing = sharing_of(config)
    assert [path for path in sharing.targets() if "tsne" in path] == ["results/figures/tsne_mortality.pdf"]
    assert sharing.allowed_figures() == '["synthetic"]'
    config["risk"]["synthetic"]["allow_figures"] = False
    sharing = sharing_of(config)
    assert not [path for path in sharing.targets() if "private" in path or "tsne" in path]
    assert sharing.allowed_figures() == "[]"


def test_data_are_credentialed_whether_selected_or_not(config):
    assert {*json.loads(sharing_of(config).credentialed())} == {"mimic3", "mimic3_benchmark", "mentions_tsv"}
    config["coding"]["icd10cm_inclusion_terms"]["access"] = "credentialed"
    config["risk"]["mimic3"]["access"] = "open"
    found = json.loads(sharing_of(config).credentialed())
    assert "mimic3" not in found and "icd10cm_inclusion_terms" in found


def test_a_result_is_shared_in_all_formats_with_its_record(config):
    config["risk"]["studies"] = ["imbalance", "cohort_statistics"]
    results = json.loads(sharing_of(config).results())
    tables = [
        [f"tables/{name}{suffix}" for suffix in (".run.json", ".tex", ".md", ".csv")]
        for name in ("cohort_statistics", "imbalance")
    ]
    assert tables[0] in results
    assert [*tables[1], "figures/imbalance.pdf", "figures/imbalance.png"] in results
    metrics = "metrics/risk/synthetic/mortality_lstm"
    for name in (
        f"{metrics}/gbt",
        f"{metrics}/imbalance/0.01/bce",
        f"{metrics}/paired",
        f"{metrics}/imbalance/0.01/paired",
        "metrics/coding/icd10cm_inclusion_terms/paired",
        "metrics/coding/icd10cm_inclusion_terms/bm25",
    ):
        assert [f"{name}.json", f"{name}.run.json"] in results
    files = [file for result in results for file in result]
    assert len(files) == len({*files}) and not [
        file for file in files if file.startswith(("private", "open"))
    ]
