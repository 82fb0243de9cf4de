"""What the rules are told: stores by access, inputs and recipes."""

import copy
import json
import re
from types import SimpleNamespace

import pytest
import yaml
from tests.paths import ROOT

from clinbench.coding.encoders import Found
from planning.coding import CodingPlan
from planning.places import access_constraint, data_state, one_of, store
from planning.reports import ReportPlan
from planning.retrieval import RetrievalInputs
from planning.risk import RiskPlan


@pytest.fixture
def config():
    return copy.deepcopy(yaml.safe_load((ROOT / "config.yaml").read_text()))


CELL = SimpleNamespace(cohort="synthetic", model="mortality_lstm", row="bce_scr", batch="64", seed="0")


def test_credentialed_data_are_kept_apart(config):
    assert store(config, "risk", "synthetic") == "results/open/risk/synthetic"
    config["risk"]["synthetic"]["access"] = "credentialed"
    assert store(config, "risk", "synthetic") == "results/private/risk/synthetic"
    pattern = re.compile(f"results/({access_constraint(config)})/risk/synthetic/mortality.npz")
    assert pattern.fullmatch("results/private/risk/synthetic/mortality.npz")
    assert not pattern.fullmatch("results/open/risk/synthetic/mortality.npz")


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


def test_a_two_stage_system_waits_for_its_first_stage(config):
    inputs = RetrievalInputs(CodingPlan(config), gpus=0)
    cell = SimpleNamespace(benchmark="icd10cm_inclusion_terms", system="cross_encoder", seed="3")
    folder = "results/open/coding/icd10cm_inclusion_terms"
    assert inputs.supervision(cell) == [f"{folder}/groups.jsonl", f"{folder}/bi_encoder/seed=3/model"]
    assert inputs.first_stage_run(cell) == [f"{folder}/bi_encoder/seed=3/run.trec"]
    assert inputs.embeddings(cell) == []


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
    ]


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


def test_the_title_says_what_limits_a_benchmark(config):
    config["coding"]["distemist"] |= {"pool": "train_gold", "table": "icd10cm"}
    title = CodingPlan(config).title(SimpleNamespace(benchmark="distemist"))
    assert "codes of train mentions only; without the documents that codiesp trains on" in title
