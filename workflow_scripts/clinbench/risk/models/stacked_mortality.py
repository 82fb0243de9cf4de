"""The mortality LSTM for K settings at once; equal to K single ones up to rounding."""

import torch
from torch import Tensor, nn

from clinbench.risk.models.layers import Output
from clinbench.risk.models.stacked import Stack, stacked_lstm


class StackedMortalityLSTM(Stack):
    """K mortality LSTMs; see ``mortality_lstm.MortalityLSTM`` for the layers."""

    def __init__(self, model: nn.Module, count: int):
        super().__init__(model, count)
        self.dropout, self.shape = model.dropout, model.head.shape

    def forward(self, series: Tensor, lengths: Tensor, statics: Tensor | None = None) -> list[Output]:
        """Map (N, T, F) and (N,) to logits and embeddings (N, hidden) of each model."""
        series = self._drop(series[None])
        steps = torch.arange(series.shape[2], device=series.device)
        mirror = lengths[:, None] - 1 - steps
        index = torch.where(mirror >= 0, mirror, steps)[None, :, :, None]
        ahead = self._layer("forward_lstm", series)
        back = self._layer("backward_lstm", _reversed(series, index))
        both = torch.cat([ahead, _reversed(back, index)], dim=-1)  # (K, N, T, hidden)
        states = self._layer("lstm", self._drop(both))
        embeddings = self._drop(states[:, torch.arange(len(lengths), device=lengths.device), lengths - 1])
        weight, bias = self.of("head.weight"), self.of("head.bias")
        logits = embeddings @ weight.transpose(1, 2)  # (K, N, outputs)
        logits = logits if bias is None else logits + bias[:, None]
        return [
            Output(logit.reshape(len(lengths), *self.shape), z)
            for logit, z in zip(logits, embeddings, strict=True)
        ]

    def _layer(self, name: str, series: Tensor) -> Tensor:
        parts = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        return stacked_lstm(series, *(self.of(f"{name}.{part}") for part in parts))

    def _drop(self, tensor: Tensor) -> Tensor:
        """Drop the same entries in every model, those that a single model would drop."""
        if not self.training or not self.dropout.p:
            return tensor
        return tensor * self.dropout(torch.ones_like(tensor[0]))


def _reversed(series: Tensor, index: Tensor) -> Tensor:
    return series.gather(2, index.expand(*series.shape))
