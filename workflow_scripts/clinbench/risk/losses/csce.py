"""Contrastive softmax cross entropy (CSCE): softmax over the two anchors of a label."""

import torch
from torch import Tensor
from torch.nn import functional as F

from clinbench.risk.losses.checks import check_batch, full_precision

OPTIONS = {}
OUTPUTS = 2  # logits a label: negative anchor v, positive anchor u


def csce(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean softmax cross entropy over (d, a), which equals BCE on a − d (risk.md 3.1 and 3.5).

    Args:
        logits: (N, 2) or (N, C, 2) floating, last axis (negative d, positive a).
        labels: (N,) or (N, C) of 0 and 1.

    Raises:
        UserError: a bad argument, by name.

    Example:
        >>> round(csce(torch.tensor([[-1.0, 2.0], [0.5, -1.0]]), torch.tensor([1, 0])).item(), 4)
        0.125
    """
    check_batch(labels, logits, outputs=OUTPUTS)
    return classification_loss(logits, None, labels)


def classification_loss(logits: Tensor, embeddings: Tensor | None, labels: Tensor) -> Tensor:
    """``csce`` without its checks, as ``SupervisedContrastiveLoss`` calls it."""
    negative, positive = full_precision(logits).unbind(-1)
    return F.binary_cross_entropy_with_logits(positive - negative, labels.to(positive.dtype))


def probability(logits: Tensor, proba: str = "paper") -> Tensor:
    """Softmax probability of the positive anchor, (N,) or (N, C); both formulae agree."""
    negative, positive = full_precision(logits).unbind(-1)
    return torch.sigmoid(positive - negative)


def anchors(weight: Tensor) -> Tensor:
    """Return (2, d) centred anchors: only u − v is identified, so ∓(u − v)/2 is plotted."""
    half = (weight[1] - weight[0]) / 2
    return torch.stack([-half, half])
