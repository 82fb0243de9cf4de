"""The mortality LSTM for K settings at once; equal to K single ones up to rounding."""

import torch
from torch import Tensor

from clinbench.risk.models.layers import Output
from clinbench.risk.models.stacked import StackedLSTMs


class StackedMortalityLSTM(StackedLSTMs):
    """K mortality LSTMs; see ``mortality_lstm.MortalityLSTM`` for the layers."""

    def forward(self, series: Tensor, lengths: Tensor, statics: Tensor | None = None) -> list[Output]:
        """Map (N, T, F) and (N,) to logits and embeddings (N, hidden) of each model."""
        series = self.drop(series[None])
        steps = torch.arange(series.shape[2], device=series.device)
        mirror = lengths[:, None] - 1 - steps
        index = torch.where(mirror >= 0, mirror, steps)[None, :, :, None]
        ahead, _ = self.layer("forward_lstm", series)
        back, _ = self.layer("backward_lstm", _reversed(series, index))
        both = torch.cat([ahead, _reversed(back, index)], dim=-1)  # (K, N, T, hidden)
        states, _ = self.layer("lstm", self.drop(both))
        return self.outputs(
            self.drop(states[:, torch.arange(len(lengths), device=lengths.device), lengths - 1])
        )


def _reversed(series: Tensor, index: Tensor) -> Tensor:
    return series.gather(2, index.expand(*series.shape))
