"""Batches of ragged stays: padded no further than needed, predicted in order."""

import numpy as np
import torch

from clinbench.cohorts.tensors import Cohort
from clinbench.risk.losses.supervised import SupervisedContrastiveLoss
from clinbench.risk.models.mortality_lstm import MortalityLSTM
from clinbench.risk.stays import Stays, predict

LENGTHS = np.array([3, 1, 7, 2, 7])


def cohort():
    values = np.random.default_rng(0).normal(size=(LENGTHS.sum(), 4))
    stays = [str(i) for i in range(5)]
    offsets = np.append(0, LENGTHS.cumsum())
    statics = np.arange(5.0)[:, None]
    return Cohort(
        values, offsets, [0, 1, 0, 1, 0], stays, stays, ["test"] * 5, list("abcd"), statics, ["age"]
    )


def test_a_batch_is_padded_as_by_a_loop():
    everyone = cohort()
    dense, lengths, statics = Stays.of(everyone, "cpu").batch(torch.arange(5))
    assert dense.shape == (5, 7, 4) and lengths.tolist() == LENGTHS.tolist()
    for stay, length in enumerate(lengths):
        first = everyone.offsets[stay]
        np.testing.assert_array_equal(dense[stay, :length], everyone.values[first : first + length])
        assert not dense[stay, length:].any()
    assert statics.flatten().tolist() == [0, 1, 2, 3, 4]


def test_a_batch_of_some_stays_is_padded_no_further_than_they_need():
    everyone, rows = Stays.of(cohort(), "cpu"), torch.tensor([3, 0])
    dense, lengths, _ = everyone.batch(torch.arange(5))
    series, hours, statics = everyone.batch(rows)
    assert series.shape == (2, 3, 4)
    assert np.array_equal(series.numpy(), dense[[3, 0], :3])
    assert hours.tolist() == lengths[[3, 0]].tolist()
    assert statics.flatten().tolist() == [3, 0]


def test_predictions_come_in_the_order_of_the_stays():
    model, loss = MortalityLSTM(4, hidden=4).eval(), SupervisedContrastiveLoss("bce")
    stays = Stays.of(cohort(), "cpu")
    with torch.no_grad():
        one_by_one = [
            loss.probability(model(*stays.batch(torch.tensor([i]))).logits).item() for i in range(5)
        ]
    probabilities, embeddings = predict(model, loss, stays)
    assert np.allclose(probabilities, one_by_one, atol=1e-6)
    assert embeddings.shape == (5, 4)
