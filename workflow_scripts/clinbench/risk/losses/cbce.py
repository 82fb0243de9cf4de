"""Contrastive cross entropy with two binary terms (CBCE): logits d = vᵀz and a = uᵀz a label."""

import torch
from torch import Tensor
from torch.nn import functional as F

from clinbench.risk.losses.checks import check_batch, full_precision, one_of

OPTIONS = {}
OUTPUTS = 2  # logits a label: negative anchor v, positive anchor u
PROBA = ("paper", "posterior")


def cbce(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean of −[y log(σ(a)σ(−d)) + (1−y) log(σ(d)σ(−a))] (risk.md 3.1).

    It equals BCE of a on y plus BCE of d on 1 − y (risk.md 3.5).

    Args:
        logits: (N, 2) or (N, C, 2) floating, last axis (negative d, positive a).
        labels: (N,) or (N, C) of 0 and 1.

    Raises:
        UserError: a bad argument, by name.

    Example:
        >>> round(cbce(torch.tensor([[-1.0, 2.0], [0.5, -1.0]]), torch.tensor([1, 0])).item(), 4)
        0.6138
    """
    check_batch(labels, logits, outputs=OUTPUTS)
    return classification_loss(logits, None, labels)


def classification_loss(logits: Tensor, embeddings: Tensor | None, labels: Tensor) -> Tensor:
    """``cbce`` without its checks, as ``SupervisedContrastiveLoss`` calls it."""
    negative, positive = full_precision(logits).unbind(-1)
    sign = 2 * labels.to(positive.dtype) - 1
    return -(F.logsigmoid(sign * positive) + F.logsigmoid(-sign * negative)).mean()


def probability(logits: Tensor, proba: str = "paper") -> Tensor:
    """Probability of the label, (N,) or (N, C), computed in log space.

    ``paper``: σ(a) / (σ(a) + σ(d)). ``posterior``: σ(a−d), the Bayes-consistent posterior of the
    product form (risk.md 3.5); it decides alike and ranks otherwise.
    """
    negative, positive = full_precision(logits).unbind(-1)
    if one_of("proba", proba, PROBA) == "posterior":
        return torch.sigmoid(positive - negative)
    return torch.sigmoid(F.logsigmoid(positive) - F.logsigmoid(negative))


def anchors(weight: Tensor) -> Tensor:
    """Return (2, d) negative and positive anchor from the (2, d) head weight: v and u."""
    return weight
