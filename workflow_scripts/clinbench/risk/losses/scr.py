"""Supervised contrastive regulariser (SCR), binary and multi-label."""

import torch
from torch import Tensor


def unit_rows(embeddings: Tensor) -> Tensor:
    """Scale rows to length 1; zero rows stay zero and keep a finite gradient."""
    norm = embeddings.norm(dim=1, keepdim=True)
    return embeddings / norm.masked_fill(norm == 0, 1)


def scr_per_class(embeddings: Tensor, labels: Tensor, temperature: float = 0.1) -> tuple[Tensor, Tensor]:
    """Supervised contrastive regulariser of each class, from one similarity matrix.

    For class c: ``-1/N sum_i 1/|P_c(i)| sum_{j in P_c(i)} log(e^{s_ij/t} / sum_{k != i} e^{s_ik/t})``
    with P_c(i) the other samples of the same label (risk.md 3.1; paper eq. for SCR). An anchor without
    partner adds nothing and is counted. The sums over partners come from S·Y, so no class loop is
    needed: O(N²(d+C)) time, O(N²+NC) memory.

    Args:
        embeddings: (N, d) float; cosine similarity is used, half precision is computed in float32.
        labels: (N, C) of 0 and 1.
        temperature: t > 0.

    Returns:
        Loss of each class (C,), and the number of anchors without partner of each class (C,).
    """
    with torch.autocast(embeddings.device.type, enabled=False):
        z = embeddings if embeddings.dtype == torch.float64 else embeddings.float()
        y = labels.to(z.dtype)  # (N, C)
        z = unit_rows(z)
        n = len(z)
        same = y * y.sum(0) + (1 - y) * (n - y.sum(0)) - 1  # (N, C) partners of each anchor
        if n < 2:
            return (z.sum() * 0).expand(y.shape[1]), (same == 0).sum(0)
        similarity = z @ z.T / temperature  # (N, N)
        diagonal = torch.eye(n, dtype=torch.bool, device=z.device)
        log_sum = similarity.masked_fill(diagonal, -torch.inf).logsumexp(1, keepdim=True)  # (N, 1)
        to_positive = z @ (z.T @ y) / temperature  # (N, C) sum of s_ij over j with y_j = 1
        to_all = (z @ z.sum(0) / temperature)[:, None]  # (N, 1)
        partners = y * to_positive + (1 - y) * (to_all - to_positive) - similarity.diagonal()[:, None]
        log_ratio = torch.where(same > 0, partners / same.clamp(min=1) - log_sum, 0)
        return -log_ratio.mean(0), (same == 0).sum(0)


def scr(embeddings: Tensor, labels: Tensor, temperature: float = 0.1) -> Tensor:
    """Supervised contrastive regulariser, averaged over classes.

    Args:
        embeddings: (N, d) float.
        labels: (N,) or (N, C) of 0 and 1.
        temperature: > 0.

    Example:
        >>> z = torch.tensor([[1., 0.], [0., 1.], [-1., 0.], [.6, .8], [-.6, .8]], dtype=torch.float64)
        >>> round(scr(z, torch.tensor([1, 1, 0, 0, 0])).item(), 6)
        6.8324
    """
    labels = labels[:, None] if labels.ndim == 1 else labels
    return scr_per_class(embeddings, labels, temperature)[0].mean()
