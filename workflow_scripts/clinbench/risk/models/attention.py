"""Attentions of ConCare (risk.md §2.3): over the steps of a channel, among tokens, and from the last token."""

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from clinbench.risk.models.layers import Dropout


def attend_steps(
    states: Tensor,
    last: Tensor,
    keys: Tensor,
    lengths: Tensor,
    query: Tensor,
    age: Tensor,
    score: Tensor,
    bias: Tensor,
) -> Tensor:
    """Time-aware "concat" attention over the valid steps of each channel.

    Score of step t: ``score · tanh(query h_last + key h_t + age Δt) + bias``, Δt steps before the stay's last.

    Args:
        states: GRU states (T, F, H, N).
        last: last valid states (F, H, N).
        keys: projected states (T, F, A, N).
        lengths: (N,).
        query: (F, A, H).
        age, score: (F, A).
        bias: (F,).

    Returns:
        One token a channel (F, H, N).
    """
    left = lengths - 1 - torch.arange(len(states), device=states.device)[:, None]  # (T, N)
    hours = left.clamp(min=0).to(states.dtype)[:, None, None]
    mixed = torch.tanh(keys + query @ last + age[:, :, None] * hours)
    scores = (score[:, None] @ mixed).squeeze(2) + bias[:, None]  # (T, F, N)
    weights = scores.masked_fill(left[:, None] < 0, -torch.inf).softmax(0)
    return _WeightedSum.apply(states, weights)


class _WeightedSum(torch.autograd.Function):
    """Sum over steps of states (T, F, H, N) times weights (T, F, N), step by step and thus in the cache."""

    @staticmethod
    def forward(ctx, states: Tensor, weights: Tensor) -> Tensor:
        ctx.save_for_backward(states, weights)
        total = torch.zeros_like(states[0])
        for state, weight in zip(states, weights, strict=True):
            total.addcmul_(state, weight[:, None])
        return total

    @staticmethod
    @once_differentiable
    def backward(ctx, d_total: Tensor):
        states, weights = ctx.saved_tensors
        d_weights = torch.empty_like(weights)
        product = torch.empty_like(d_total)
        for state, d_weight in zip(states, d_weights, strict=True):
            torch.sum(torch.mul(state, d_total, out=product), 1, out=d_weight)
        return weights[:, :, None] * d_total, d_weights


class TokenAttention(nn.Module):
    """Scaled multi-head self-attention among tokens, with dropout on its weights."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads, self.dropout = heads, Dropout(dropout)
        self.inputs = nn.Linear(width, 3 * width)  # query, key, value
        self.output = nn.Linear(width, width)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Map tokens (N, K, d) to the output and the concatenated contexts of the heads, both (N, K, d)."""
        n, count, width = tokens.shape
        parts = self.inputs(tokens).view(n, count, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts.unbind()  # (N, heads, K, d / heads)
        scores = (query * key.shape[3] ** -0.5) @ key.transpose(2, 3)
        contexts = self.dropout(scores.softmax(3)) @ value
        contexts = contexts.transpose(1, 2).reshape(n, count, width)
        return self.output(contexts), contexts


class LastTokenAttention(nn.Module):
    """Unscaled attention of the last token over all tokens."""

    def __init__(self, width: int, dropout: float):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.dropout = Dropout(dropout)

    def forward(self, tokens: Tensor) -> Tensor:
        """Map tokens (N, K, d) to (N, d)."""
        scores = self.key(tokens) @ self.query(tokens[:, -1])[:, :, None]  # (N, K, 1)
        weights = self.dropout(scores.softmax(1))
        return (weights.transpose(1, 2) @ self.value(tokens)).squeeze(1)


def decov(contexts: Tensor) -> Tensor:
    """DeCov penalty: half the squared off-diagonal covariances over the batch, summed over tokens.

    Args:
        contexts: (N, K, d).

    Returns:
        A scalar; zero for a batch of one, whose unbiased covariance is undefined.
    """
    centred = (contexts - contexts.mean(0)).transpose(0, 1)  # (K, N, d)
    covariances = centred.transpose(1, 2) @ centred / max(len(contexts) - 1, 1)
    diagonals = covariances.diagonal(dim1=1, dim2=2)
    return (covariances.square().sum() - diagonals.square().sum()) / 2
