"""Layers the models share: the reference's LSTM start values, the head, and padding-proof steps."""

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Output(NamedTuple):
    """What a model returns: logits as its ``Head`` shapes them, embeddings (N, d), and its own penalty.

    ``penalty`` is a scalar that the training adds to the loss; zero for most models.
    """

    logits: Tensor
    embeddings: Tensor
    penalty: Tensor | float = 0.0


class Head(nn.Linear):
    """Linear head with ``outputs`` logits for each of ``labels`` labels.

    Returns (N,) or (N, 2) for one label given as ``labels=None``, else (N, C) or (N, C, 2), last axis
    negative anchor, positive anchor.
    """

    def __init__(self, width: int, labels: int | None, outputs: int, bias: bool = True):
        super().__init__(width, (labels or 1) * outputs, bias=bias)
        self.shape = ([labels] if labels else []) + ([outputs] if outputs == 2 else [])
        if bias:
            nn.init.zeros_(self.bias)

    def forward(self, embeddings: Tensor) -> Tensor:
        return super().forward(embeddings).reshape(len(embeddings), *self.shape)


class Dropout(nn.Dropout):
    """``nn.Dropout``, three times as fast on a CPU: 16 random bits an entry, so p is rounded to 1/65,536."""

    def forward(self, tensor: Tensor) -> Tensor:
        kept = max(1, round((1 - self.p) * 2**16))
        if not self.training or kept == 2**16 or tensor.device.type != "cpu":
            return super().forward(tensor)
        words = torch.empty(-(-tensor.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
        bits = words.view(torch.int16)[: tensor.numel()].view(tensor.shape)
        return tensor * (bits < kept - 2**15).to(tensor.dtype).mul_(2**16 / kept)


def lstm(inputs: int, hidden: int) -> nn.LSTM:
    """One-layer LSTM started as in risk.md §2: Xavier input weights, orthogonal recurrent, zero biases."""
    layer = nn.LSTM(inputs, hidden, batch_first=True)
    nn.init.xavier_uniform_(layer.weight_ih_l0)
    nn.init.orthogonal_(layer.weight_hh_l0)
    nn.init.zeros_(layer.bias_ih_l0)
    nn.init.zeros_(layer.bias_hh_l0)
    return layer


def reversed_steps(series: Tensor, lengths: Tensor) -> Tensor:
    """Reverse each series (N, T, F) within its own length, so that padding stays at the end."""
    steps = torch.arange(series.shape[1], device=series.device)
    mirror = lengths[:, None] - 1 - steps  # (N, T)
    index = torch.where(mirror >= 0, mirror, steps)
    return series.gather(1, index[:, :, None].expand_as(series))


def last_step(series: Tensor, lengths: Tensor) -> Tensor:
    """Return the last valid step (N, F) of each series (N, T, F)."""
    return series[torch.arange(len(series), device=series.device), lengths - 1]


def last_states(layer: nn.LSTM, series: Tensor, lengths: Tensor, dropout: nn.Module) -> Tensor:
    """Run an LSTM over dropped-out series (N, T, F) and return its state (N, H) after the last valid step.

    Time is cut where half of the stays left have ended, so that a few long ones do not make the others wait
    as padding would, nor does every step cost a call of its own as in a packed sequence.
    """
    ends, order = lengths.sort(descending=True)
    series, last, state, start = series[order], [], None, 0
    while (running := int((ends > start).sum())) > 0:
        end = int(ends[running // 2])
        state = state and tuple(part[:, :running].contiguous() for part in state)
        steps, state = layer(dropout(series[:running, start:end]), state)
        going = int((ends > end).sum())
        last.append(last_step(steps[going:], ends[going:running] - start))
        start = end
    return torch.cat(last[::-1])[order.argsort()]


def parameter_count(model: nn.Module) -> int:
    """Count trainable parameters."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
