"""Binary cross entropy: one logit a = uᵀz a label; the negative anchor is −u."""

import torch
from torch import Tensor
from torch.nn import functional as F

from clinbench.risk.losses.checks import check_batch, full_precision

OPTIONS = {}
OUTPUTS = 1  # logits a label


def bce(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean of −[y log σ(a) + (1−y) log σ(−a)] (risk.md 3.1).

    Args:
        logits: (N,) or (N, C) floating.
        labels: (N,) or (N, C) of 0 and 1.

    Raises:
        UserError: a bad argument, by name.

    Example:
        >>> round(bce(torch.tensor([2.0, -1.0, 0.5]), torch.tensor([1, 1, 0])).item(), 4)
        0.8048
    """
    check_batch(labels, logits, outputs=OUTPUTS)
    return classification_loss(logits, None, labels)


def classification_loss(logits: Tensor, embeddings: Tensor | None, labels: Tensor) -> Tensor:
    """``bce`` without its checks, as ``SupervisedContrastiveLoss`` calls it."""
    logits = full_precision(logits)
    return F.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype))


def probability(logits: Tensor, proba: str = "paper") -> Tensor:
    """σ(a), same shape as ``logits``; both formulae agree."""
    return torch.sigmoid(full_precision(logits))


def anchors(weight: Tensor) -> Tensor:
    """Return (2, d) negative and positive anchor from the (1, d) head weight: −u and u."""
    return torch.cat([-weight, weight])
