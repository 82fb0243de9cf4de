"""The configuration: the committed one is right, and every mistake is named with its choices."""

import copy

import pytest
import yaml

from clinbench import config_coding, plugins
from clinbench.coding import mentions
from clinbench.config import check
from clinbench.config_coding import table_of
from clinbench.errors import UserError
from tests.paths import ROOT


@pytest.fixture
def config():
    return copy.deepcopy(yaml.safe_load((ROOT / "config.yaml").read_text()))


def merged(config, overlay):
    for key, value in overlay.items():
        if isinstance(value, dict):
            merged(config.setdefault(key, {}), value)
        else:
            config[key] = value
    return config


def test_the_committed_configuration_is_accepted(config):
    check(config)


LENT = {"kind": "bi_encoder", "encoder": "minilm", "model_of": "bi_encoder"}
AGAIN = {"kind": "cross_encoder", "model_of": "cross_encoder", "first_stage": "bi_encoder"}


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        ({"trakcs": ["risk"]}, ["trakcs", "did you mean 'tracks'"]),
        ({"risk": {"epoch": 3}}, ["risk: unknown key 'epoch'", "epochs"]),
        ({"risk": {"learning_rate": "1e-3"}}, ["risk.learning_rate", "is text, not a number"]),
        ({"device": "gpu"}, ["device", "auto, cpu, cuda"]),
        ({"risk": {"rows": ["bcee"]}}, ["risk.rows", "did you mean 'bce'"]),
        ({"risk": {"losses": {"bce": {"kind": "focal"}}}}, ["risk.losses.bce.kind", "bce, cbce, csce"]),
        ({"risk": {"losses": {"bce": {"gamma": 2}}}}, ["risk.losses.bce", "unknown key 'gamma'"]),
        ({"coding": {"systems": ["bm26"]}}, ["coding.systems", "bm25"]),
        ({"coding": {"retrievers": {"bm25": {"k2": 1}}}}, ["coding.retrievers.bm25", "'k2'", "k1"]),
        ({"risk": {"cohorts": ["physionet2012"]}}, ["data.physionet2012", "null", "ODC-BY"]),
        ({"risk": {"cohorts": ["mimic3"]}}, ["data.mimic3", "null", "Credentialed Health Data License"]),
        ({"risk": {"cohorts": ["mimic3_benchmark"]}}, ["data.mimic3_benchmark", "null"]),
        ({"data": {"mimic3": "/a", "mimic3_benchmark": "/b"}}, ["data.mimic3", "both set", "to null"]),
        (
            {"risk": {"mimic3": {"acess": "open"}}},
            ["risk.mimic3: unknown key 'acess'", "did you mean 'access'"],
        ),
        ({"risk": {"mimic3": {"ties": "first"}}}, ["risk.mimic3.ties", "number, text"]),
        ({"risk": {"mimic3": {"allow_figures": 1}}}, ["risk.mimic3.allow_figures"]),
        ({"coding": {"benchmarks": ["codiesp"]}}, ["data.codiesp", "null", "CC BY"]),
        ({"risk": {"tsne": {"batch_size": 3}}}, ["risk.tsne.batch_size"]),
        ({"data": {"physionet": "x"}}, ["data: unknown key 'physionet'", "physionet2012"]),
        ({"bootstrap": {"interval_draws": 50}}, ["interval_draws"]),
        ({"risk": {"rows": []}}, ["risk.rows"]),
        ({"risk": {"calibration": {"bins": 1}}}, ["risk.calibration.bins"]),
        (
            {"risk": {"external": {"bce": "x.csv"}}},
            ["risk.external.bce", "a loss has this name", "x.csv does not"],
        ),
        ({"risk": {"external": {"a": {"mimic4": "x"}}}}, ["risk.external.a", "no 'mimic4'", "mimic3"]),
        (
            {"risk": {"external": {"a": {"synthetic": {"lstm": "x"}}}}},
            ["risk.external.a.synthetic", "no 'lstm'"],
        ),
        (
            {"risk": {"external": {"a": "x.csv"}, "tables": ["mortality_lstm", "phenotyping_lstm"]}},
            ["risk.external.a: of synthetic, for which of mortality_lstm, phenotyping_lstm?"],
        ),
        (
            {"risk": {"external": {"a": "x.csv"}, "cohorts": ["synthetic", "mimic3"]}},
            ["risk.external.a: for which of synthetic, mimic3? Write {cohort: file}"],
        ),
        ({"risk": {"epochs": "@x"}}, ["risk.epochs", "'@x'"]),
        ({"risk": {"learning_rate": float("nan")}}, ["risk.learning_rate", "finite"]),
        ({"risk": {"losses": {"bce_scr": {"scr_weights": [0.1, 0.1]}}}}, ["scr_weights"]),
        ({"data": {"codiesp": ""}}, ["data.codiesp"]),
        ({"coding": {"retrievers": {"minilm": {"kind": "bm25"}}}}, ["minilm.encoder", "no use"]),
        ({"coding": {"retrievers": {"ours": {"kind": "dense"}}}}, ["ours.encoder", "missing"]),
        ({"coding": {"supervision": {"tutor": "gpt"}}}, ["coding.supervision.tutor", "lexicon, llm"]),
        ({"coding": {"supervision": {"languages": ["de"]}}}, ["coding.supervision.languages", "en, es, ca"]),
        ({"coding": {"supervision": {"noise": {"typo": 0.1}}}}, ["unknown key 'typo'", "typos"]),
        ({"coding": {"retrievers": {"cross_encoder": {"first_stage": "bm25"}}}}, ["'bm25' is not a trained"]),
        ({"coding": {"retrievers": {"cross_encoder": {"first_stage": "cross_encoder"}}}}, ["itself"]),
    ],
)
def test_mistakes_are_named(config, overlay, words):
    with pytest.raises(UserError) as caught:
        check(merged(config, overlay))
    for word in words:
        assert word in str(caught.value)


def test_text_from_the_command_line_becomes_what_it_spells(config):
    merged(config, {"seeds": ["0", "1"], "risk": {"epochs": "3", "learning_rate": "0.01"}})
    merged(config, {"allow_download": "true", "coding": {"retrievers": {"bm25": {"k1": "1.2"}}}})
    merged(config, {"data": {"codiesp": "null"}})
    check(config)
    assert config["seeds"] == [0, 1]
    assert (config["risk"]["epochs"], config["risk"]["learning_rate"]) == (3, 0.01)
    assert config["allow_download"] is True
    assert config["data"]["codiesp"] is None
    assert config["coding"]["retrievers"]["bm25"]["k1"] == 1.2


def test_data_that_do_not_exist_are_named(config, tmp_path):
    overlay = {"risk": {"cohorts": ["physionet2012"]}, "data": {"physionet2012": str(tmp_path / "no")}}
    with pytest.raises(UserError, match="does not exist"):
        check(merged(config, overlay))


def test_optional_data_may_be_null_and_must_exist_if_set(config, tmp_path):
    merged(config, {"risk": {"cohorts": ["mimic3"]}, "data": {"mimic3": str(tmp_path)}})
    check(config)
    config["data"]["mimic3_resources"] = str(tmp_path / "no")
    with pytest.raises(UserError, match="data.mimic3_resources: .*no does not exist"):
        check(config)


def test_a_part_cannot_both_train_and_test(config, tmp_path):
    overlay = {"risk": {"cohorts": ["physionet2012"], "physionet2012": {"train": ["a", "b"]}}}
    merged(config, overlay | {"data": {"physionet2012": str(tmp_path)}})
    with pytest.raises(UserError, match="risk.physionet2012: b would both train and test"):
        check(config)


def test_an_unselected_track_needs_no_data(config):
    check(merged(config, {"tracks": ["risk"], "coding": {"benchmarks": ["codiesp"]}}))


def test_auto_table_follows_the_data(config):
    assert table_of(config, "codiesp") == "icd10cm"
    config["data"]["codiesp_codes"] = "/some/file"
    assert table_of(config, "codiesp") == "codiesp_codes"


@pytest.mark.parametrize(
    "package",
    ["cohorts", "risk.losses", "risk.models", "coding.tables", "coding.benchmarks", "coding.systems"],
)
def test_every_plugin_documents_its_options(package):
    assert plugins.names(package)
    for name in plugins.names(package):
        for key, option in plugins.declared(package, name, "OPTIONS").items():
            assert option.get("description"), f"{package}.{name}: {key}"
        assert plugins.load(package, name).__doc__


def test_an_unknown_plugin_is_named_with_the_choices():
    with pytest.raises(UserError, match="did you mean 'bm25'"):
        plugins.load("coding.systems", "bm52")


TABLES = {
    "mine": {"kind": "texts", "file": "nowhere.tsv"},
    "both": {"kind": "merged", "parts": ["icd10cm", "mine"]},
}


@pytest.mark.parametrize(
    ("coding", "words"),
    [
        ({"retrievers": {"f": {"kind": "fusion", "systems": ["bm25", "bm26"]}}}, ["f.systems", "'bm25'"]),
        ({"retrievers": {"f": {"kind": "fusion", "systems": ["bm25", "f"]}}}, ["made of its own run"]),
        ({"retrievers": {"f": {"kind": "fusion"}}}, ["f.systems", "missing"]),
        ({"retrievers": {"fusion": {"weights": [1, 2, 3]}}}, ["fusion.weights", "3 for 2 systems"]),
        ({"retrievers": {"fusion": {"mentions": ["train"]}}}, ["fusion.mentions", "runs only"]),
        ({"retrievers": {"bm25": {"mentions": ["test"]}}}, ["bm25.mentions", "train, val"]),
        ({"icd10cm_inclusion_terms": {"pool": "half"}}, ["pool", "gold_union"]),
        ({"icd10cm_inclusion_terms": {"train_on": "icd10cm_inclusion_terms"}}, ["train_on", "of its own"]),
        ({"icd10cm_inclusion_terms": {"train_on": "codiesp"}}, ["data.codiesp", "null"]),
        ({"tables": TABLES, "icd10cm_inclusion_terms": {"table": "both"}}, ["mine.file", "nowhere.tsv"]),
        ({"retrievers": {"bm25": {"candidates": "fusion"}}}, ["bm25.candidates", "re-ranks nothing"]),
        ({"retrievers": {"cross_encoder": {"candidates": "cross_encoder"}}}, ["made of its own run"]),
        ({"retrievers": {"again": AGAIN | {"first_stage": "minilm"}}}, ["again.first_stage", "whose model"]),
        ({"retrievers": {"lent": LENT | {"encoder": "mpnet"}}}, ["lent.encoder", "that of 'bi_encoder'"]),
        (
            {"retrievers": {"lent": LENT, "b": {"kind": "cross_encoder", "first_stage": "lent"}}},
            ["b.first_stage", "'lent' is not a trained"],
        ),
        ({"retrievers": {"cross_encoder": {"sources": ["who_es"]}}}, ["cross_encoder.sources", "re-ranks"]),
        (
            {
                "retrievers": {
                    "again": {
                        "kind": "cross_encoder",
                        "model_of": "cross_encoder",
                        "first_stage": "bi_encoder",
                        "epochs": 7,
                        "shortlist": 5,
                    }
                }
            },
            ["again.epochs", "on 'cross_encoder'"],
        ),
        ({"retrievers": {"bm25": {"model_of": "minilm"}}}, ["bm25.model_of", "trains no model"]),
        ({"external": {"bm25": "x"}}, ["external.bm25", "choose another", "x does not exist"]),
        ({"external": {"x": {"codi": "x"}}}, ["external.x", "did you mean 'codiesp'"]),
        (
            {"external": {"x": "y"}, "benchmarks": ["codiesp", "distemist"]},
            ["for which of codiesp, distemist"],
        ),
        (
            {"benchmarks": ["languages"], "languages": {"table": "icd10cm_lexicon_es"}},
            ["languages.table", "'icd10cm_lexicon_es' holds the lexicon's own terms ('lexicon_es')"],
        ),
        (
            {"benchmarks": ["languages"], "languages": {"table": "lexicon_es"}},
            ["languages.table", "('lexicon_es')"],
        ),
        (
            {"tables": {"mentions": {"kind": "icd10cm"}, "both": {"kind": "merged", "parts": ["mentions"]}}},
            ["both.parts: 'mentions' is the source of annotated mentions"],
        ),
        ({"tables": {"both": {"kind": "merged", "parts": ["nine"]}}}, ["both.parts", "no 'nine'"]),
        ({"tables": {"both": {"kind": "merged", "parts": ["both"]}}}, ["part of itself"]),
        ({"tables": {"both": {"kind": "merged", "parts": ["icd10cm"], "pool": "x"}}}, ["none of its parts"]),
    ],
)
def test_mistakes_of_the_coding_section_are_named(config, coding, words):
    with pytest.raises(UserError) as error:
        check(merged(config, {"coding": coding}))
    assert [word for word in words if word not in str(error.value)] == []


def test_the_name_that_is_kept_for_mentions_is_theirs():
    assert config_coding.MENTIONS == mentions.SOURCE


def test_composed_queries_are_answered_from_official_texts(config):
    check(merged(config, {"coding": {"benchmarks": ["languages"]}}))
    config["coding"]["icd10cm_inclusion_terms"]["table"] = "icd10cm_lexicon_es"  # no composed queries there
    check(config)


def test_tables_that_no_benchmark_needs_are_not_looked_for(config):
    check(merged(config, {"coding": {"tables": TABLES}}))
