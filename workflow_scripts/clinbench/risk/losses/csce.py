"""Contrastive softmax cross entropy (CSCE): softmax over the two anchors of a label."""

import torch
from torch import Tensor
from torch.nn import functional as F

OPTIONS = {}
OUTPUTS = 2  # logits a label: negative anchor v, positive anchor u


def csce(logits: Tensor, embeddings: Tensor, labels: Tensor) -> Tensor:
    """Mean softmax cross entropy over (d, a), which equals BCE on a − d (risk.md 3.5).

    Args:
        logits: (N, 2) or (N, C, 2), last axis (negative d, positive a).
        embeddings: unused.
        labels: (N,) or (N, C) of 0 and 1.
    """
    negative, positive = logits.unbind(-1)
    return F.binary_cross_entropy_with_logits(positive - negative, labels.to(logits.dtype))


def probability(logits: Tensor, proba: str = "paper") -> Tensor:
    """Softmax probability of the positive anchor, (N,) or (N, C); both formulae agree."""
    negative, positive = logits.unbind(-1)
    return torch.sigmoid(positive - negative)


def anchors(weight: Tensor) -> Tensor:
    """Return (2, d) centred anchors: only u − v is identified, so ∓(u − v)/2 is plotted."""
    half = (weight[1] - weight[0]) / 2
    return torch.stack([-half, half])


classification_loss = csce
