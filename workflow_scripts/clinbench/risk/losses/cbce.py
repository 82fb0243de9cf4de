"""Contrastive cross entropy with two binary terms (CBCE): logits d = vᵀz and a = uᵀz a label."""

import torch
from torch import Tensor
from torch.nn import functional as F

OPTIONS = {}
OUTPUTS = 2  # logits a label: negative anchor v, positive anchor u


def cbce(logits: Tensor, embeddings: Tensor, labels: Tensor) -> Tensor:
    """Mean of −[y log(σ(a)σ(−d)) + (1−y) log(σ(d)σ(−a))] (risk.md 3.1).

    Args:
        logits: (N, 2) or (N, C, 2), last axis (negative d, positive a).
        embeddings: unused.
        labels: (N,) or (N, C) of 0 and 1.
    """
    sign = 2 * labels.to(logits.dtype) - 1
    negative, positive = logits.unbind(-1)
    return -(F.logsigmoid(sign * positive) + F.logsigmoid(-sign * negative)).mean()


def probability(logits: Tensor, proba: str = "paper") -> Tensor:
    """Probability of the label, (N,) or (N, C), computed in log space.

    ``paper``: σ(a) / (σ(a) + σ(d)). ``posterior``: σ(a−d), the Bayes-consistent posterior of the
    product form (risk.md 3.5); it decides alike and ranks otherwise.
    """
    negative, positive = logits.unbind(-1)
    if proba == "posterior":
        return torch.sigmoid(positive - negative)
    return torch.sigmoid(F.logsigmoid(positive) - F.logsigmoid(negative))


def anchors(weight: Tensor) -> Tensor:
    """Return (2, d) negative and positive anchor from the (2, d) head weight: v and u."""
    return weight


classification_loss = cbce
