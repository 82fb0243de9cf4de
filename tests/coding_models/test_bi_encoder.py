import random

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from tests.coding_models.conftest import reciprocal_rank

from clinbench.coding.context import Context
from clinbench.coding.finetune import isolated
from clinbench.coding.in_batch import InBatchLoss
from clinbench.coding.load import load_encoder
from clinbench.coding.systems import bi_encoder
from clinbench.errors import UserError
from clinbench.plugins import declared

OPTIONS = {"epochs": 15, "batch_size": 8, "learning_rate": 3e-3, "hard_negatives": 1}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory, train, table, groups, encoder_folder):
    folder = tmp_path_factory.mktemp("bi") / "model"
    context = Context(encoder=encoder_folder, seed=3)
    torch.manual_seed(11)
    state = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    summary = bi_encoder.fit(train, train[:0], table, groups, OPTIONS, context, folder)
    assert (random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()) == state
    return folder, summary


def test_training_finds_what_the_untuned_encoder_does_not(fitted, train, table, encoder_folder):
    folder, summary = fitted
    queries, codes = train["query"].to_list(), train["code"].to_list()
    before = bi_encoder.search(queries, table, {}, Context(model=encoder_folder), depth=10)
    after = bi_encoder.search(queries, table, {}, Context(model=folder), depth=10)
    assert reciprocal_rank(after, codes) > reciprocal_rank(before, codes) + 0.3
    assert list(summary) == ["mentions"]
    summary = summary["mentions"]
    assert summary["pairs"] == 32 and summary["codes"] == 16 and summary["steps"] >= 15 * 4
    assert summary["losses"][-1] < summary["losses"][0] / 2


def test_saved_folder_is_ordinary_safe_and_without_training_text(fitted, train):
    from sentence_transformers import SentenceTransformer

    folder, _ = fitted
    assert {file.suffix for file in folder.rglob("*") if file.is_file()} <= {
        ".json",
        ".txt",
        ".safetensors",
        ".md",
    }
    vectors = SentenceTransformer(str(folder), device="cpu").encode(["sepsa cardia"])
    assert vectors.shape == (1, 32)
    card = (folder / "README.md").read_text()
    assert "learning_rate: 0.003" in card
    assert not any(query in card for query in train["query"])


def test_same_seed_same_weights_another_seed_others(fitted, tmp_path, train, table, groups, encoder_folder):
    folder, summary = fitted
    for seed, same in ((3, True), (4, False)):
        context = Context(encoder=encoder_folder, seed=seed)
        again = bi_encoder.fit(train, train[:0], table, groups, OPTIONS, context, tmp_path / str(seed))
        weights = [load_file(place / "model.safetensors") for place in (folder, tmp_path / str(seed))]
        assert all(np.array_equal(weights[0][name], weights[1][name]) for name in weights[0]) == same
        assert (again["mentions"]["losses"] == summary["mentions"]["losses"]) == same


def test_data_set_a_trains_instead_of_the_mentions_or_before_them(
    tmp_path, train, table, groups, examples, encoder_folder
):
    context = Context(encoder=encoder_folder, examples=examples, seed=3)
    options = OPTIONS | {"supervision": ["A"]}
    alone = bi_encoder.fit(train[:0], train[:0], table, None, options, context, tmp_path / "a")
    assert list(alone) == ["A"] and alone["A"]["pairs"] == 32
    queries, codes = [example["query"] for example in examples], [example["code"] for example in examples]
    before = bi_encoder.search(queries, table, {}, Context(model=encoder_folder), depth=10)
    after = bi_encoder.search(queries, table, {}, Context(model=tmp_path / "a"), depth=10)
    assert reciprocal_rank(after, codes) > reciprocal_rank(before, codes) + 0.3
    options = {"supervision": ["A", "mentions"], "epochs": 1, "batch_size": 8}
    both = bi_encoder.fit(train[:6], train[:0], table, groups[:6], options, context, tmp_path / "b")
    assert {name: stage["pairs"] for name, stage in both.items()} == {"A": 32, "mentions": 6}


def test_loss_and_gradient_are_the_librarys(encoder_folder):
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    model = load_encoder(encoder_folder, "cpu").eval()
    columns = [["sepsa cardia", "onca", "trauma ossa acute"], ["injury", "tumour of the lung", "x"]]
    gradients = []
    for loss in (InBatchLoss(model, 20.0, rows=2), MultipleNegativesRankingLoss(model, scale=20.0)):
        model.zero_grad()
        value = loss([model.preprocess(column) for column in columns], None)
        value.backward()
        gradients.append(torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None]))
        gradients.append(value.detach())
    assert torch.allclose(gradients[1], gradients[3], atol=1e-5)
    assert torch.allclose(gradients[0], gradients[2], atol=1e-4)


def test_diverging_training_stops_and_says_why(tmp_path, train, table, groups, encoder_folder):
    options = OPTIONS | {"learning_rate": 1e30, "epochs": 1}
    with pytest.raises(UserError, match="lower the learning rate"):
        bi_encoder.fit(
            train, train[:0], table, groups, options, Context(encoder=encoder_folder), tmp_path / "m"
        )
    assert not (tmp_path / "m").exists()


def test_isolated_gives_random_state_back_after_an_error():
    state = random.getstate(), torch.get_rng_state().tolist()
    with pytest.raises(RuntimeError), isolated(1):
        random.seed(5)
        torch.manual_seed(5)
        raise RuntimeError
    assert (random.getstate(), torch.get_rng_state().tolist()) == state


@pytest.mark.parametrize("name", ["dense", "bi_encoder", "cross_encoder"])
def test_declarations_are_literals_with_defaults(name):
    options = declared("coding.systems", name, "OPTIONS")
    assert options and all({"default", "description"} <= set(schema) for schema in options.values())
    assert declared("coding.systems", name, "TRAINED") in (True, False)
    assert set(declared("coding.systems", name, "NEEDS")) <= {
        "encoder",
        "embeddings",
        "first_stage",
        "groups",
    }
