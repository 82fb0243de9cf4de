"""bf16 of the networks: computed in half, kept and handed on in float32, close to fp32 and not equal to it."""

import numpy as np
import pytest
import torch
from sentence_transformers import CrossEncoderTrainingArguments, SentenceTransformerTrainingArguments

from clinbench.coding.dense import STALE
from clinbench.coding.finetune import training_arguments
from clinbench.coding.load import encode, load_encoder
from clinbench.runtime import autocast


def test_vectors_in_bf16_are_those_of_fp32_to_three_digits(encoder_folder, table):
    model, texts = load_encoder(encoder_folder, "cpu"), table["text"].to_list()
    exact = encode(model, texts)
    with autocast("cpu", "bf16"):
        halved = encode(model, texts)
    assert halved.dtype == np.float32 and model.dtype == torch.float32
    assert (
        0 < np.abs(halved - exact).max() < STALE / 2
    )  # embeddings made in the other precision are still known again
    np.testing.assert_allclose(np.linalg.norm(halved, axis=1), 1, atol=1e-3)
    np.testing.assert_array_equal(encode(model, texts), exact)


@pytest.mark.parametrize("kind", [SentenceTransformerTrainingArguments, CrossEncoderTrainingArguments])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_trainers_compute_in_the_precision_asked_for(kind, precision, tmp_path):
    arguments = training_arguments(kind, tmp_path, "cpu", precision, 0)
    assert (arguments.bf16, arguments.fp16, arguments.tf32) == (precision == "bf16", False, None)
