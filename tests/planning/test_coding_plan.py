"""What the rules of the coding track are told: inputs, systems, tables, supervision."""

import json
from types import SimpleNamespace

import pytest

from clinbench import plugins
from clinbench.coding.encoders import Found
from clinbench.errors import UserError
from planning.coding import CodingPlan
from planning.reports import ReportPlan
from planning.retrieval import RetrievalInputs
from planning.risk import RiskPlan
from planning.supervision import SupervisionPlan


def test_a_two_stage_system_waits_for_its_first_stage(config):
    inputs = RetrievalInputs(CodingPlan(config), gpus=0)
    cell = SimpleNamespace(benchmark="icd10cm_inclusion_terms", system="cross_encoder", seed="3")
    folder = "results/open/coding/icd10cm_inclusion_terms"
    first = f"{folder}/bi_encoder/seed=3"
    assert inputs.supervision(cell) == [f"{first}/groups.jsonl", f"{first}/model"]  # its own neighbours
    assert inputs.first_stage_run(cell) == [f"{folder}/bi_encoder/seed=3/run.trec"]
    assert inputs.embeddings(cell) == []


def test_a_system_trained_on_data_set_a_waits_for_it(config):
    cell = SimpleNamespace(benchmark="icd10cm_inclusion_terms", system="bi_encoder", seed="0")
    found = {}
    entry = config["coding"]["retrievers"]["bi_encoder"]
    for chosen in (("mentions",), ("A",), ("texts", "A", "mentions")):
        entry["supervision"] = list(chosen)
        plan = CodingPlan(config)
        found[chosen] = RetrievalInputs(plan, gpus=0).supervision(cell)
        assert json.loads(plan.training_options(cell))["supervision"] == list(chosen)
    groups = "results/open/coding/icd10cm_inclusion_terms/groups.jsonl"
    data = "results/supervision/A.jsonl"
    assert found == {("mentions",): [groups], ("A",): [data], ("texts", "A", "mentions"): [data, groups]}
    entry |= {"supervision": ["mentions"], "partners": 2}  # any text of the code: no group's negatives
    assert RetrievalInputs(CodingPlan(config), gpus=0).supervision(cell) == []


def test_what_a_system_trains_on_unasked_is_its_plugins_default(config, monkeypatch):
    cell = SimpleNamespace(benchmark="icd10cm_inclusion_terms", system="bi_encoder", seed="0")
    inputs, declared = RetrievalInputs(CodingPlan(config), gpus=0), plugins.declared

    def on_data_set_a(package, name, constant, default=None):
        found = declared(package, name, constant, default)
        return found | {"supervision": {"default": ["A"]}} if constant == "OPTIONS" else found

    monkeypatch.setattr(plugins, "declared", on_data_set_a)
    assert inputs.supervision(cell) == ["results/supervision/A.jsonl"]


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
    first = f"{folder}/bi_encoder/seed=0"
    assert inputs.supervision(cell) == [f"{first}/groups.jsonl", f"{first}/model"]
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


def test_two_systems_may_share_a_model(config):
    retrievers = config["coding"]["retrievers"]
    retrievers["cross_encoder"] |= {"reads": "closest", "shortlist": 7}
    own = {"kind": "cross_encoder", "first_stage": "bi_encoder"}
    retrievers["reranked"] = own | {"model_of": "cross_encoder", "candidates": "fusion", "shortlist": 9}
    plan = CodingPlan(config)
    inputs = RetrievalInputs(plan, gpus=0)
    retrievers["like"] = own | {"model_of": "cross_encoder", "candidates": "fusion"}
    assert (plan.shortlist("reranked"), plan.shortlist("like")) == (9, 7)
    read = json.loads(plan.options(SimpleNamespace(system="reranked")))
    assert read == json.loads(plan.options(SimpleNamespace(system="cross_encoder"))) | {"shortlist": 9}
    cell = SimpleNamespace(benchmark="icd10cm_inclusion_terms", system="reranked", seed="0")
    folder = "results/open/coding/icd10cm_inclusion_terms"
    assert inputs.model(cell) == [f"{folder}/cross_encoder/seed=0/model"]
    assert inputs.first_stage_run(cell) == [f"{folder}/fusion/seed=0/run.trec"]


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
    both = SimpleNamespace(table="icd10cm_es")
    assert plan.table_keys(both) == ["icd10cm", "who_es", "lexicon_es"] and plan.table_data(both) == []
    parts = ("icd10cm", "who_es", "lexicon_es")
    assert plan.table_parts(both) == [f"results/open/tables/{name}.tsv" for name in parts]
    config["coding"]["codiesp"]["table"] = "icd10cm_es"
    assert plan.title(cell).endswith(
        "answered from ICD-10-CM, English + WHO ICD-10, Spanish + composed texts of this project's lexicon"
    )


def test_the_edition_of_a_table_is_named_for_messages(config):
    tables, cell = config["coding"]["tables"], SimpleNamespace(benchmark="codiesp")
    config["coding"]["codiesp"]["table"] = "table"
    release = "ICD-10-CM, release of April 2026"
    for entry, named in (
        ({"kind": "icd10cm"}, release),
        ({"kind": "icd10cm", "chapters": [4, 9]}, f"{release}, chapters 4, 9"),
        ({"kind": "texts", "edition": "WHO 2019"}, "WHO 2019"),
        ({"kind": "texts", "level": "who"}, "WHO ICD-10"),
        ({"kind": "texts"}, "ICD-10-CM / CIE-10-ES"),
        ({"kind": "merged", "parts": ["who_es", "icd10cm"], "pool": "icd10cm"}, release),
        ({"kind": "merged", "parts": ["icd10cm", "codiesp_es", "icd10cm"]}, f"{release} + CIE-10-ES 2018"),
    ):
        tables["table"] = entry
        tables["codiesp_es"] = {"kind": "codiesp_codes"}
        assert CodingPlan(config).edition(cell) == named


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


def test_data_set_b_is_of_the_first_benchmark_and_of_open_mentions_only(config):
    assert SupervisionPlan(config).groups() == "results/open/coding/icd10cm_inclusion_terms/groups.jsonl"
    config["coding"]["benchmarks"] = ["distemist", "codiesp"]  # DISTEMIST's systems learn from CodiEsp's
    assert SupervisionPlan(config).groups() == "results/open/coding/codiesp/groups.jsonl"
    config["coding"]["codiesp"]["access"] = "credentialed"
    with pytest.raises(UserError, match="stays in results/private/coding/codiesp/groups.jsonl"):
        SupervisionPlan(config).groups()
    config["coding"]["benchmarks"] = []
    with pytest.raises(UserError, match="there is none"):
        SupervisionPlan(config).groups()


def test_the_title_says_what_limits_a_benchmark(config):
    config["coding"]["distemist"] |= {"pool": "train_gold", "table": "icd10cm"}
    title = CodingPlan(config).title(SimpleNamespace(benchmark="distemist"))
    assert "codes of train mentions only; without the documents that codiesp trains on" in title
