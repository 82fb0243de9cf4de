"""Every bad argument of a loss is refused by its name."""

import math
import re

import numpy as np
import pytest
import torch

from clinbench.errors import UserError
from clinbench.risk.losses import SupervisedContrastiveLoss, bce, cbce, csce, scr
from clinbench.risk.losses.cbce import probability

Z, Y = torch.randn(5, 3), torch.tensor([1.0, 1, 0, 0, 0])
ONE, PAIR = torch.randn(5), torch.randn(5, 2)
NAN = torch.tensor([1.0, math.nan, 0, 0, 0])


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"temperature": 0}, "temperature"),
        ({"temperature": -1.0}, "temperature"),
        ({"temperature": math.inf}, "temperature"),
        ({"temperature": "0.1"}, "temperature"),
        ({"scr_weight": -0.1}, "scr_weight"),
        ({"scr_weight": math.nan}, "scr_weight"),
        ({"scr_weight": None}, "scr_weight"),
        ({"scr_scale": -1}, "scr_scale"),
        ({"cbce_scale": -1}, "cbce_scale"),
        ({"preset": "papre"}, "preset: .*did you mean 'paper'"),
        ({"singleton": "drop"}, "singleton"),
        ({"proba": "bayes"}, "proba"),
        ({"contrast": "bec"}, "bec.*did you mean 'bce'"),
        ({"contrast": "scr"}, "no plug-in 'scr'"),
        ({"gamma": 2}, "gamma: the loss 'bce' has no such option"),
    ],
)
def test_settings_are_named(arguments, name):
    with pytest.raises(UserError, match=f"(?i){name}"):
        SupervisedContrastiveLoss(**arguments)


BATCHES = {
    "a logit a label": ((ONE, Z, Y), "logits: shape (5, 2)"),
    "a class too many": ((torch.randn(5, 3, 2), Z, Y), "logits: shape (5, 2)"),
    "column of labels": ((PAIR, Z, Y[:, None]), "logits: shape (5, 1, 2)"),
    "labels of three axes": ((PAIR, Z, Y[:, None, None]), "labels: shape (N,) or (N, C)"),
    "no axis": ((PAIR, Z, torch.tensor(1.0)), "labels: shape (N,) or (N, C)"),
    "empty": ((PAIR[:0], Z[:0], Y[:0]), "labels: an empty batch"),
    "no class": ((torch.zeros(5, 0, 2), Z, torch.zeros(5, 0)), "labels: an empty batch"),
    "too few embeddings": ((PAIR, Z[:3], Y), "embeddings: shape (5, d)"),
    "flat embeddings": ((PAIR, Z[:, 0], Y), "embeddings: shape (5, d)"),
    "array": ((PAIR, Z, np.ones(5)), "labels: a torch.Tensor"),
    "none": ((PAIR, Z, None), "labels: a torch.Tensor"),
    "whole logits": ((PAIR.long(), Z, Y), "logits: a floating dtype"),
    "whole embeddings": ((PAIR, Z.int(), Y), "embeddings: a floating dtype"),
    "complex labels": ((PAIR, Z, Y.to(torch.complex64)), "labels: a real dtype"),
    "another device": ((PAIR, Z.to("meta"), Y), "one device expected"),
    "labels of two": ((PAIR, Z, Y * 2), "labels: only 0 and 1 are allowed, found 2 (2 of 5)"),
    "labels of one half": ((PAIR, Z, Y / 2), "labels: only 0 and 1 are allowed, found 0.5"),
    "labels of minus one": ((PAIR, Z, 2 * Y - 1), "labels: only 0 and 1 are allowed, found -1"),
    "missing label": ((PAIR, Z, NAN), "labels: only 0 and 1 are allowed, found nan"),
    "NaN logit": ((PAIR + NAN[:, None], Z, Y), "logits: 2 of 10 values are NaN"),
    "infinite logit": ((PAIR / 0, Z, Y), "logits: 10 of 10 values are NaN or infinite"),
    "NaN embedding": ((PAIR, Z * NAN[:, None], Y), "embeddings: 3 of 15 values are NaN"),
}


@pytest.mark.parametrize(("batch", "message"), BATCHES.values(), ids=BATCHES)
def test_batches_are_named(batch, message):
    with pytest.raises(UserError, match=re.escape(message)):
        SupervisedContrastiveLoss("csce", 0.1)(*batch)


@pytest.mark.parametrize(("batch", "message"), BATCHES.values(), ids=BATCHES)
def test_functions_refuse_the_same(batch, message):
    logits, embeddings, labels = batch
    if message.startswith("embeddings"):
        call = lambda: scr(embeddings, labels)  # noqa: E731
    elif message.startswith("one device"):
        call = lambda: cbce(embeddings[:, :2], labels)  # noqa: E731
    else:
        call = lambda: csce(logits, labels)  # noqa: E731
    with pytest.raises(UserError, match=re.escape(message)):
        call()


def test_the_rest_of_the_functions():
    for loss in (bce, cbce):
        with pytest.raises(UserError, match="labels: only 0 and 1"):
            loss(ONE if loss is bce else PAIR, Y * 2)
    with pytest.raises(UserError, match="logits: shape"):
        bce(PAIR, Y)
    for temperature in (0, -1, math.nan, True):
        with pytest.raises(UserError, match="temperature: a finite number > 0"):
            scr(Z, Y, temperature)
    with pytest.raises(UserError, match="proba"):
        probability(PAIR, "bayes")


def test_several_problems_are_told_at_once():
    with pytest.raises(UserError, match=r"logits: shape .*\n.*embeddings: shape"):
        SupervisedContrastiveLoss("csce")(ONE, Z[:3], Y)


def test_large_sums_are_no_mistake():
    huge = torch.full((5,), 3e38)
    assert huge.sum().isinf()
    assert bce(huge, torch.ones(5)) == 0


def test_values_can_be_left_unchecked_but_shapes_cannot():
    loss = SupervisedContrastiveLoss("csce", check_values=False)
    assert loss(PAIR + NAN[:, None], Z, Y).isnan()
    with pytest.raises(UserError, match="logits"):
        loss(ONE, Z, Y)
