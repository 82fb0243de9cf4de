"""Binary cross entropy: one logit a = uᵀz a label; the negative anchor is −u."""

import torch
from torch import Tensor
from torch.nn import functional as F

OPTIONS = {}
OUTPUTS = 1  # logits a label


def bce(logits: Tensor, embeddings: Tensor, labels: Tensor) -> Tensor:
    """Mean of −[y log σ(a) + (1−y) log σ(−a)]; logits and labels (N,) or (N, C)."""
    return F.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype))


def probability(logits: Tensor, proba: str = "paper") -> Tensor:
    """σ(a), same shape as ``logits``; both formulae agree."""
    return torch.sigmoid(logits)


def anchors(weight: Tensor) -> Tensor:
    """Return (2, d) negative and positive anchor from the (1, d) head weight: −u and u."""
    return torch.cat([-weight, weight])


classification_loss = bce
