import numpy as np
import polars as pl
import pytest
from datasets import Dataset
from safetensors.numpy import load_file
from tests.coding_models.conftest import reciprocal_rank

from clinbench.coding.closest import Closest
from clinbench.coding.context import Context
from clinbench.coding.groups import mine_groups
from clinbench.coding.mentions import as_texts
from clinbench.coding.pairwise import load_cross_encoder, score_pairs
from clinbench.coding.systems import cross_encoder
from clinbench.errors import UserError

OPTIONS = {"epochs": 60, "groups_per_step": 4, "learning_rate": 2e-3, "shortlist": 10}


@pytest.fixture(scope="module")
def first_stage(train, table):
    """Rankings in which the right code stands anywhere among the first ten."""
    rng = np.random.default_rng(0)
    codes = table["code"].to_list()
    rankings = []
    for gold in train["code"]:
        others = [code for code in rng.permutation(codes).tolist() if code != gold]
        others.insert(int(rng.integers(0, 10)), gold)
        rankings.append([(code, 1.0 - at / 100) for at, code in enumerate(others)])
    return rankings


@pytest.fixture(scope="module")
def groups(train, table, first_stage):
    groups, _ = mine_groups(train, table, {"dense": first_stage}, 4, seed=0)
    groups[3]["negatives"] = groups[3]["negatives"][:1]  # ragged
    return groups


@pytest.fixture(scope="module")
def fitted(tmp_path_factory, train, table, groups, encoder_folder):
    folder = tmp_path_factory.mktemp("cross") / "model"
    context = Context(first_stage_model=encoder_folder, seed=5)
    return folder, cross_encoder.fit(train, train[:0], table, groups, OPTIONS, context, folder)


@pytest.fixture
def seen(monkeypatch):
    """Return the columns that trainings are given from here on."""
    found, made = [], Dataset.from_dict
    monkeypatch.setattr("datasets.Dataset.from_dict", lambda columns: found.append(columns) or made(columns))
    return found


def test_training_lifts_the_right_code_and_keeps_the_tail(fitted, train, table, first_stage):
    folder, summary = fitted
    queries, codes = train["query"].to_list(), train["code"].to_list()
    context = Context(model=folder, first_stage=first_stage)
    found = cross_encoder.search(queries, table, OPTIONS, context, depth=16)
    assert reciprocal_rank(found, codes) > reciprocal_rank(first_stage, codes) + 0.2
    for ranking, first in zip(found, first_stage, strict=True):
        assert [code for code, _ in ranking[10:]] == [code for code, _ in first[10:]]
        assert {code for code, _ in ranking[:10]} == {code for code, _ in first[:10]}
        assert sorted(ranking, key=lambda item: (-item[1], item[0])) == ranking
    assert summary["groups"] == 32 and summary["pairs"] == 32 * 5 - 3
    assert summary["losses"][-1] < summary["losses"][0] - 0.3


def test_starts_from_the_first_stages_weights_with_one_new_output(encoder_folder):
    model = load_cross_encoder(encoder_folder, "cpu", 96)
    assert model.num_labels == 1
    trained, ours = load_file(encoder_folder / "model.safetensors"), dict(model.model.bert.named_parameters())
    assert all(np.array_equal(ours[name].detach().numpy(), trained[name]) for name in ours)


def test_scores_are_raw_logits_in_the_order_of_the_pairs(fitted):
    model = load_cross_encoder(fitted[0], "cpu", 96)
    pairs = [("sepsa cardia", "infection of the heart"), ("x", "y"), ("onca", "injury of the skin " * 3)]
    scores = score_pairs(model, pairs, batch=2)
    assert scores.dtype == np.float32
    for pair, score in zip(pairs, scores, strict=True):
        logit = model(model.preprocess([pair]))["scores"].item()
        assert score == pytest.approx(logit, abs=1e-4)
    assert np.abs(score_pairs(load_cross_encoder(fitted[0], "cpu", 96), pairs) - scores).max() < 1e-5
    assert score_pairs(model, []).shape == (0,)


def test_saved_folder_is_safe_and_without_training_text(fitted, train):
    folder, _ = fitted
    assert {file.suffix for file in folder.rglob("*") if file.is_file()} <= {
        ".json",
        ".txt",
        ".safetensors",
        ".md",
    }
    assert not any(query in (folder / "README.md").read_text() for query in train["query"])


def test_same_seed_same_weights_another_seed_others(tmp_path, train, table, groups, encoder_folder):
    options = OPTIONS | {"epochs": 2, "max_groups": 10}
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        context = Context(first_stage_model=encoder_folder, seed=seed)
        summary = cross_encoder.fit(train, train[:0], table, groups, options, context, tmp_path / name)
        assert summary["groups"] == 10
    a, b, c = (load_file(tmp_path / name / "model.safetensors") for name in "abc")
    assert all(np.array_equal(a[key], b[key]) for key in a)
    assert not all(np.array_equal(a[key], c[key]) for key in a)


def test_the_closest_texts_are_trained_on_and_read(tmp_path, seen, train, table, groups, encoder_folder):
    options = OPTIONS | {"epochs": 1, "reads": "closest"}
    context = Context(first_stage_model=encoder_folder, seed=5)
    cross_encoder.fit(train, train[:0], table, groups, options, context, tmp_path / "model")
    closest = Closest(pl.concat([table, as_texts(train)]))
    for query, candidates, group in zip(seen[0]["query"], seen[0]["candidates"], groups, strict=True):
        codes = [item["code"] for item in (group["positive"], *group["negatives"])]
        assert candidates == [closest.of(query, code, others=True) for code in codes]
        assert query not in candidates


def test_one_text_is_not_both_positive_and_negative(tmp_path, seen, train, table, groups, encoder_folder):
    alike = groups[0] | {
        "negatives": [
            groups[0]["negatives"][0],
            {"code": "Z99", "text": groups[0]["positive"]["text"].upper(), "source": "bm25"},
        ]
    }
    context = Context(first_stage_model=encoder_folder, seed=5)
    cross_encoder.fit(train, train[:0], table, [alike], OPTIONS | {"epochs": 1}, context, tmp_path / "model")
    assert seen[0]["candidates"] == [[alike["positive"]["text"], alike["negatives"][0]["text"]]]
    nothing = alike | {"negatives": alike["negatives"][1:]}
    one = OPTIONS | {"epochs": 1}
    told = cross_encoder.fit(train, train[:0], table, [alike, nothing], one, context, tmp_path / "other")
    assert (told["groups"], told["alike"], told["pairs"]) == (1, 1, 2)
    with pytest.raises(UserError, match="nothing tells codes apart"):
        cross_encoder.fit(train, train[:0], table, [nothing], one, context, tmp_path / "none")


def test_no_groups_is_told(train, table, tmp_path):
    with pytest.raises(UserError, match="no list-wise groups"):
        cross_encoder.fit(train, train[:0], table, [], {}, Context(), tmp_path)


def test_model_with_several_outputs_is_refused(tmp_path, encoder_folder):
    from sentence_transformers import CrossEncoder

    CrossEncoder(str(encoder_folder), num_labels=3, device="cpu").save_pretrained(str(tmp_path / "three"))
    with pytest.raises(UserError, match="three"):
        load_cross_encoder(tmp_path / "three", "cpu", 96)
