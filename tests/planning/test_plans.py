"""What the rules are told: stores by access, inputs and recipes."""

import copy
import json
import re
from types import SimpleNamespace

import pytest
import yaml
from snakemake.utils import update_config
from tests.paths import ROOT

from clinbench.coding.encoders import Found
from clinbench.errors import UserError
from clinbench.risk.search import Setting
from planning.checks import require_apart
from planning.coding import CodingPlan
from planning.places import access_constraint, data_state, one_of, store
from planning.reports import ReportPlan
from planning.retrieval import RetrievalInputs
from planning.risk import RiskPlan
from planning.sharing import SharingPlan
from planning.studies import StudyPlan
from planning.supervision import SupervisionPlan


@pytest.fixture
def config():
    return copy.deepcopy(yaml.safe_load((ROOT / "config.yaml").read_text()))


CELL = SimpleNamespace(
    cohort="synthetic", model="mortality_lstm", sample="all", row="bce_scr", batch="64", seed="0"
)


def test_credentialed_data_are_kept_apart(config):
    assert store(config, "risk", "synthetic") == "results/open/risk/synthetic"
    config["risk"]["synthetic"]["access"] = "credentialed"
    assert store(config, "risk", "synthetic") == "results/private/risk/synthetic"
    pattern = re.compile(f"results/({access_constraint(config)})/risk/synthetic/mortality.npz")
    assert pattern.fullmatch("results/private/risk/synthetic/mortality.npz")
    assert not pattern.fullmatch("results/open/risk/synthetic/mortality.npz")


def test_row_level_folders_lie_apart(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    config["risk"]["cohorts"] = ["synthetic", "mimic3"]
    inside = [
        "folders",
        ".",
        "results/open/x",
        "results/private",
        "results/private/../x",
        "link/x",
        str(ROOT / "x"),
    ]
    for given in inside:
        config["risk"]["mimic3"] = {"write_benchmark_folders": given}
        with pytest.raises(UserError, match=r"results/private:\n.*risk.mimic3.write_benchmark_folders: "):
            require_apart(config)
    for given in (None, "results/private/mimic3", "../elsewhere", str(tmp_path.parent / "folders")):
        config["risk"]["mimic3"] = {"write_benchmark_folders": given}
        require_apart(config)


def test_longer_names_are_tried_first():
    assert re.fullmatch(f"({one_of(['bce', 'bce_scr'])})(_scr)?", "bce_scr").group(1) == "bce_scr"
    assert not re.search(one_of([]), "anything")


def test_a_recipe_does_not_depend_on_the_grid_it_is_part_of(config):
    def without_settings():
        recipe = json.loads(RiskPlan(config).recipe(CELL))
        return recipe.pop("settings"), recipe

    settings, before = without_settings()
    config["risk"]["losses"]["bce_scr"]["scr_weights"] = [0.5]
    changed, after = without_settings()
    assert before == after
    assert settings != changed


def test_a_table_and_a_thinned_sample_may_search_otherwise(config):
    search = {"batch_sizes": [32, 128], "epochs": [3, 5], "budget": None, "scr_weights": [0, 0.5]}
    config["risk"]["models"]["mortality_lstm"]["search"] = search
    config["risk"]["imbalance"]["search"] = {"epochs": 1, "batch_sizes": [128]}
    plan = RiskPlan(config)
    cell = SimpleNamespace(**{**vars(CELL), "batch": "128"})
    recipe = json.loads(plan.recipe(cell))
    assert recipe["epochs"] == 5
    assert [setting["scr_weight"] for setting in recipe["settings"]] == [0, 0.5]
    assert plan.jobs(cell, "all", 0, "f") == [
        f"results/open/risk/synthetic/mortality_lstm/all/bce_scr/batch={size}/seed=0/f" for size in (32, 128)
    ]
    cell.sample = "positives=0.01,draw=2"
    assert json.loads(plan.recipe(cell))["epochs"] == 1
    assert plan.settings("mortality_lstm", "all", "bce") == {size: [Setting(0.0, 0)] for size in (32, 128)}


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ({"selection_metric": "micro_auroc"}, "selection_metric: micro_auroc is none of mortality"),
        ({"epochs": [1, 2, 3]}, "epochs: give one number, or one for each of batch_sizes"),
        ({"budget": 5}, "budget: 5 trainings cannot cover"),
    ],
)
def test_a_search_that_cannot_be_is_refused_before_any_job(config, search, message):
    config["risk"]["models"]["mortality_lstm"]["search"] = search
    with pytest.raises(UserError, match=message):
        RiskPlan(config)


def test_a_cohort_without_a_tables_task_is_left_out_of_it(config):
    config["risk"]["cohorts"] = ["synthetic", "physionet2012"]
    config["risk"]["tables"] = ["mortality_lstm", "phenotyping_lstm"]
    plan = RiskPlan(config)
    assert plan.cohorts("mortality_lstm") == ["synthetic", "physionet2012"]
    assert plan.cohorts("phenotyping_lstm") == ["synthetic"]
    config["risk"]["cohorts"] = ["physionet2012"]
    with pytest.raises(UserError, match="no selected cohort has phenotyping"):
        RiskPlan(config)


def test_a_preset_reaches_models_and_cohorts_through_their_options(config):
    config["risk"]["preset"] = "reference"
    options = json.loads(RiskPlan(config).options(CELL))
    assert options["normaliser"] == "train_val"
    config["risk"]["preset"] = "clean"
    assert json.loads(RiskPlan(config).options(CELL))["normaliser"] == "train"


def test_the_imbalance_study_covers_every_level_draw_and_loss(config):
    config["risk"]["imbalance"] |= {"levels": [0.05, 0.001], "draws": 2}
    studies = StudyPlan(RiskPlan(config))
    metrics = studies.imbalance_metrics(None)
    assert "results/metrics/risk/synthetic/mortality_lstm/imbalance/0.001/csce_scr.json" in metrics
    assert "results/metrics/risk/synthetic/mortality_lstm/imbalance/all/bce.json" in metrics
    assert not [path for path in metrics if "gbt" in path]
    cell = SimpleNamespace(cohort="synthetic", model="mortality_lstm", row="bce", level="0.05")
    files = studies.thinned("history.json")(cell)
    assert len(files) == 2 * 2 and "positives=0.05,draw=1/bce/batch=64" in files[2]
    cell.level = "all"
    assert {path.split("/")[5] for path in studies.thinned("history.json")(cell)} == {"positives=all,draw=0"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"imbalance": {"table": "phenotyping_lstm", "levels": [0.05], "draws": 1}}, "is not of mortality"),
        ({"studies": ["phenotypes"]}, "phenotypes needs a table of phenotyping"),
        ({"rows": ["gbt"]}, "no loss is among risk.rows"),
        ({"rows": ["csce_scr"]}, "running_time compares with BCE"),
    ],
)
def test_a_study_that_cannot_be_is_refused_before_any_job(config, changes, message):
    config["risk"] |= changes
    with pytest.raises(UserError, match=message):
        StudyPlan(RiskPlan(config))


def test_running_times_are_compared_with_plain_bce_wherever_it_stands(config):
    config["risk"]["rows"] = ["csce_scr", "bce_scr", "bce"]
    timed = json.loads(StudyPlan(RiskPlan(config)).timed(CELL))
    assert [row for row, _ in timed["losses"]] == ["bce", "csce_scr", "bce_scr"]


@pytest.mark.parametrize(("preset", "trained"), [("paper", (105, 105)), ("paper_leak", (5, 105))])
def test_the_papers_presets_search_as_they_say(config, preset, trained):
    overlay = yaml.safe_load((ROOT / f"presets/{preset}.yaml").read_text())
    update_config(config, overlay)
    config["data"]["mimic3"] = "somewhere"
    plan = RiskPlan(config)
    for row, count in zip(("bce", "cbce_scr"), trained, strict=True):
        assert sum(map(len, plan.settings("mortality_lstm", "all", row).values())) == count
    recipe = json.loads(plan.recipe(SimpleNamespace(**{**vars(CELL), "cohort": "mimic3"})))
    expected = {"paper": ("paper", "validation"), "paper_leak": ("reference", "test")}[preset]
    assert (recipe["preset"], recipe["selection"]) == expected
    assert len(config["seeds"]) == {"paper": 5, "paper_leak": 1}[preset]


def test_a_two_stage_system_waits_for_its_first_stage(config):
    inputs = RetrievalInputs(CodingPlan(config), gpus=0)
    cell = SimpleNamespace(benchmark="icd10cm_inclusion_terms", system="cross_encoder", seed="3")
    folder = "results/open/coding/icd10cm_inclusion_terms"
    assert inputs.supervision(cell) == [f"{folder}/groups.jsonl", f"{folder}/bi_encoder/seed=3/model"]
    assert inputs.first_stage_run(cell) == [f"{folder}/bi_encoder/seed=3/run.trec"]
    assert inputs.embeddings(cell) == []


def test_a_system_trained_on_data_set_a_waits_for_it(config):
    cell = SimpleNamespace(benchmark="icd10cm_inclusion_terms", system="bi_encoder", seed="0")
    found = {}
    for chosen in (None, "A", "A_then_mentions"):
        config["coding"]["retrievers"]["bi_encoder"]["supervision"] = chosen
        plan = CodingPlan(config)
        found[chosen] = RetrievalInputs(plan, gpus=0).supervision(cell)
        assert json.loads(plan.training_options(cell))["supervision"] == chosen
    groups = "results/open/coding/icd10cm_inclusion_terms/groups.jsonl"
    data = "results/supervision/A.jsonl"
    assert found == {None: [groups], "A": [data], "A_then_mentions": [data, groups]}


def test_a_fusion_waits_for_its_parts_and_is_seeded_if_one_is_trained(config):
    coding = config["coding"]
    coding["retrievers"]["fusion"] = {"kind": "fusion", "systems": ["bm25", "bi_encoder"]}
    plan = CodingPlan(config | {"seeds": [4, 5]})
    inputs = RetrievalInputs(plan, gpus=1)
    cell = SimpleNamespace(benchmark="icd10cm_inclusion_terms", system="fusion", seed="5")
    folder = "results/open/coding/icd10cm_inclusion_terms"
    assert inputs.part_runs(cell) == [
        f"{folder}/bm25/seed=4/run.trec",
        f"{folder}/bi_encoder/seed=5/run.trec",
    ]
    assert plan.seeds_of("fusion") == [4, 5] and plan.encoders("fusion") == ["minilm"]
    assert (inputs.gpus_of_system(cell), json.loads(plan.options(cell))) == (0, {})


def test_a_re_ranker_may_take_its_shortlist_from_another_system(config):
    config["coding"]["retrievers"]["cross_encoder"]["candidates"] = "fusion"
    plan = CodingPlan(config)
    inputs = RetrievalInputs(plan, gpus=0)
    cell = SimpleNamespace(benchmark="icd10cm_inclusion_terms", system="cross_encoder", seed="0")
    folder = "results/open/coding/icd10cm_inclusion_terms"
    assert inputs.first_stage_run(cell) == [f"{folder}/fusion/seed=0/run.trec"]
    assert inputs.supervision(cell) == [f"{folder}/groups.jsonl", f"{folder}/bi_encoder/seed=0/model"]
    assert "candidates" not in json.loads(plan.options(cell))


def test_a_users_mentions_are_coded_by_the_first_seeds_models_in_the_private_folder(config, tmp_path):
    coding = config["coding"]
    coding["retrievers"]["both"] = {"kind": "fusion", "systems": ["bm25", "cross_encoder"]}
    plan = CodingPlan(config | {"seeds": [4, 5]})
    inputs = RetrievalInputs(plan, gpus=0)
    cell = SimpleNamespace(benchmark="distemist", system="cross_encoder")
    assert inputs.model(cell) == ["results/open/coding/codiesp/cross_encoder/seed=4/model"]
    assert inputs.coded_first_stage(cell) == ["results/private/coded/distemist/bi_encoder.trec"]
    both = SimpleNamespace(benchmark="distemist", system="both")
    folder = "results/private/coded/distemist"
    assert inputs.coded_parts(both) == [f"{folder}/bm25.trec", f"{folder}/cross_encoder.trec"]
    assert inputs.model(both) == inputs.coded_first_stage(both) == []
    for file in (None, str(tmp_path)):
        coding["mentions_file"] = file
        with pytest.raises(UserError, match="coding.mentions_file: .* is no file"):
            plan.mentions_file()


def test_a_benchmark_learns_from_another_ones_mentions_and_models(config):
    plan = CodingPlan(config)
    inputs = RetrievalInputs(plan, gpus=0)
    cell = SimpleNamespace(benchmark="distemist", system="bi_encoder", seed="0")
    assert inputs.model(cell) == ["results/open/coding/codiesp/bi_encoder/seed=0/model"]
    assert [inputs.training(cell)] == plan.disjoint_from(cell) == ["results/open/coding/codiesp/queries.tsv"]
    own = SimpleNamespace(benchmark="codiesp")
    assert plan.disjoint_from(own) == [] and inputs.training(own) == inputs.queries(own)


def test_mentions_are_read_by_those_that_need_them_and_joined_to_the_texts_elsewhere(config):
    plan = CodingPlan(config)
    inputs = RetrievalInputs(plan, gpus=0)
    read = {name: plan.mentions(name) for name in ("dictionary", "bm25", "bm25_mentions")}
    assert read == {"dictionary": ["train", "val"], "bm25": [], "bm25_mentions": ["train", "val"]}
    joined = {name: inputs.joins(SimpleNamespace(system=name)) for name in ("dictionary", "bm25_mentions")}
    assert joined == {"dictionary": False, "bm25_mentions": True}


def test_a_table_of_a_file_and_a_merged_one(config):
    tables = config["coding"]["tables"]
    tables["who_es"] |= {"file": "who.tsv"}
    plan = CodingPlan(config)
    cell = SimpleNamespace(table="who_es", benchmark="codiesp")
    assert (plan.table_data(cell), plan.table_keys(cell), plan.table_parts(cell)) == (
        ["who.tsv"],
        ["file"],
        [],
    )
    assert "file" not in json.loads(plan.table_options(cell))
    both = SimpleNamespace(table="icd10cm_who_es")
    assert plan.table_keys(both) == ["icd10cm", "who_es"] and plan.table_data(both) == []
    assert plan.table_parts(both) == [f"results/open/tables/{name}.tsv" for name in ("icd10cm", "who_es")]
    config["coding"]["codiesp"]["table"] = "icd10cm_who_es"
    assert plan.title(cell).endswith("answered from ICD-10-CM, English + WHO ICD-10, Spanish")


def test_the_languages_table_reads_what_is_held_out_of_data_set_a(config):
    plan, cell = CodingPlan(config), SimpleNamespace(benchmark="languages")
    before = plan.benchmark_options(cell)
    assert json.loads(before)["supervision"]["held_out"] == config["coding"]["supervision"]["held_out"]
    assert set(json.loads(before)) == {"queries", "supervision"}
    reports = ReportPlan(RiskPlan(config), plan)
    assert reports.coding_layout(cell) == "languages_code"
    config["coding"]["languages"]["relevance"] = "category"
    config["coding"]["supervision"]["examples"] = 7
    assert (reports.coding_layout(cell), plan.benchmark_options(cell)) == ("languages_category", before)
    config["coding"]["supervision"]["held_out"] = 0.3
    assert plan.benchmark_options(cell) != before
    other = SimpleNamespace(benchmark="distemist")
    assert json.loads(plan.benchmark_options(other)) == {"relations": ["EXACT"], "ranges": "exclude"}
    assert reports.coding_layout(other) == "retrieval"


def test_runs_made_elsewhere_are_rows_of_their_benchmark(config):
    config["coding"]["external"] = {"theirs": {"codiesp": "a.csv"}}
    reports = ReportPlan(RiskPlan(config), CodingPlan(config))
    rows = {
        name: reports.coding_metrics(SimpleNamespace(benchmark=name))[-1]
        for name in ("codiesp", "icd10cm_inclusion_terms")
    }
    assert rows["codiesp"].endswith("codiesp/theirs.json")
    assert rows["icd10cm_inclusion_terms"].endswith("cross_encoder.json")
    assert reports.coding.external_file(SimpleNamespace(benchmark="codiesp", external="theirs")) == "a.csv"
    assert reports.coding.seeds_of("theirs") == [0] and reports.coding.encoder_of("theirs") is None


def test_only_networks_ask_for_a_gpu(config):
    inputs = RetrievalInputs(CodingPlan(config), gpus=1)
    asked = {
        name: inputs.gpus_of_system(SimpleNamespace(system=name)) for name in config["coding"]["systems"]
    }
    assert asked == {"bm25": 0, "minilm": 1, "bi_encoder": 1, "cross_encoder": 1}


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
        "results/figures/coding_chapters_icd10cm_inclusion_terms.pdf",
        "results/figures/coding_shortlist_icd10cm_inclusion_terms.pdf",
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


def test_data_edited_in_place_are_noticed_and_moved_ones_are_not_a_change(tmp_path):
    folder = tmp_path / "data"
    (folder / "set-a").mkdir(parents=True)
    record = folder / "set-a" / "1.txt"
    record.write_text("old")
    before = data_state([str(folder)])
    folder = folder.rename(tmp_path / "moved")
    assert data_state([str(folder)]) == before
    (folder / "set-a" / "1.txt").write_text("newer")
    assert data_state([str(folder)]) != before


def test_an_encoder_is_its_content_wherever_it_lies(tmp_path):
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(bytes(10_000_000))
    before = Found("folder", folder).identity({})
    folder = folder.rename(tmp_path / "two")
    assert Found("package", folder).identity({}) == before
    (folder / "model.safetensors").write_bytes(bytes(9_999_999) + b"x")
    assert Found("folder", folder).identity({}) != before
    spec = {"hub": "owner/model"}
    assert Found("download", "owner/model").identity(spec) == Found("cache", folder).identity(spec)


def test_search_options_do_not_train_again(config):
    cell = SimpleNamespace(system="cross_encoder")
    before = CodingPlan(config).training_options(cell), CodingPlan(config).options(cell)
    config["coding"]["retrievers"]["cross_encoder"]["shortlist"] = 33
    after = CodingPlan(config).training_options(cell), CodingPlan(config).options(cell)
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_pictures_of_credentialed_stays_are_private(config):
    config["risk"]["synthetic"]["access"] = "credentialed"
    reports = ReportPlan(RiskPlan(config), CodingPlan(config))
    figures = [path for path in reports.targets() if "tsne" in path]
    assert figures == ["results/private/figures/tsne_mortality.pdf"]
    files = reports.tsne_files("embeddings.npz")(SimpleNamespace(task="mortality", place="private/"))
    assert files and all(path.startswith("results/private/risk/synthetic/") for path in files)


def test_the_leak_guard_reads_every_selected_benchmark_and_the_llm_tutor_only_open_ones(config):
    plan = SupervisionPlan(config)
    assert plan.queries(None) == ["results/open/coding/icd10cm_inclusion_terms/queries.tsv"]
    assert plan.access == ["open"]
    config["coding"]["supervision"]["tutor"] = "llm"
    with pytest.raises(UserError, match="llm.base_url: null"):
        SupervisionPlan(config)
    config["coding"]["supervision"]["llm"] |= {"base_url": "http://localhost:1/v1", "model": "tiny"}
    SupervisionPlan(config)
    config["coding"]["icd10cm_inclusion_terms"]["access"] = "credentialed"
    with pytest.raises(UserError, match="icd10cm_inclusion_terms is credentialed"):
        SupervisionPlan(config)


def sharing_of(config):
    risk = RiskPlan(config)
    return SharingPlan(ReportPlan(risk, CodingPlan(config)), StudyPlan(risk))


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
        "metrics/coding/icd10cm_inclusion_terms/bm25",
    ):
        assert [f"{name}.json", f"{name}.run.json"] in results
    files = [file for result in results for file in result]
    assert len(files) == len({*files}) and not [
        file for file in files if file.startswith(("private", "open"))
    ]


def test_a_prepared_cohort_is_read_from_its_folder(config):
    plan, cell = RiskPlan(config), SimpleNamespace(cohort="mimic3")
    assert plan.generated(cell) == ["results/private/risk/mimic3/prepared"]
    before = plan.preparing_options(cell), plan.options(cell)
    config["risk"]["mimic3"]["clip"] = True
    assert (
        RiskPlan(config).preparing_options(cell) == before[0] and RiskPlan(config).options(cell) != before[1]
    )
    config["risk"]["preset"] = "reference"
    assert json.loads(RiskPlan(config).preparing_options(cell))["ties"] == "text"
    config["data"] |= {"mimic3": "/tables", "mimic3_resources": "/resources"}
    assert plan.data_keys(cell) == ["mimic3", "mimic3_resources"]
    assert plan.data(cell) == ["/tables", "/resources"]


def test_the_title_says_what_limits_a_benchmark(config):
    config["coding"]["distemist"] |= {"pool": "train_gold", "table": "icd10cm"}
    title = CodingPlan(config).title(SimpleNamespace(benchmark="distemist"))
    assert "codes of train mentions only; without the documents that codiesp trains on" in title
