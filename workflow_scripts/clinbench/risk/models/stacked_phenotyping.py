"""The phenotyping LSTM for K settings at once; equal to K single ones up to rounding."""

import torch
from torch import Tensor

from clinbench.risk.models.layers import Output
from clinbench.risk.models.stacked import StackedLSTMs


class StackedPhenotypingLSTM(StackedLSTMs):
    """K phenotyping LSTMs; see ``phenotyping_lstm.PhenotypingLSTM`` for the layers."""

    def forward(self, series: Tensor, lengths: Tensor, statics: Tensor | None = None) -> list[Output]:
        """Map (N, T, F) and (N,) to logits and embeddings (N, hidden) of each model; time is cut as in one."""
        ends, order = lengths.sort(descending=True)
        series, last, state, start = series[order], [], None, 0
        while (running := int((ends > start).sum())) > 0:
            end = int(ends[running // 2])
            state = state and tuple(part[:, :running] for part in state)
            steps, state = self.layer("lstm", self.drop(series[None, :running, start:end]), state)
            going = int((ends > end).sum())
            stays = torch.arange(going, running, device=series.device)
            last.append(steps[:, stays, ends[going:running] - start - 1])
            start = end
        return self.outputs(self.drop(torch.cat(last[::-1], dim=1)[:, order.argsort()]))
