"""Every channel's own GRU and attention over time, in batched products."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from clinbench.risk.models.attention import attend_steps
from clinbench.risk.models.recurrence import recur

# States (F, H, N) of one step that are handled together on a CPU: they and their gates stay in its cache.
CACHED = 2**17


class ChannelEncoder(nn.Module):
    """GRU(1 → H) and time-aware attention with weights of their own for each of F channels (risk.md §2.3).

    Start values are PyTorch's, as of F modules ``nn.GRU(1, H)``, ``nn.Linear(2H + 1, A, bias=False)``
    and ``nn.Linear(A, 1)``.
    """

    def __init__(self, channels: int, hidden: int, attention: int = 8):
        super().__init__()
        self.hidden = hidden
        self.weight_ih = _uniform(hidden, channels, 3 * hidden)
        self.weight_hh = _uniform(hidden, channels, 3 * hidden, hidden)
        self.bias_ih = _uniform(hidden, channels, 3 * hidden)
        self.bias_hh = _uniform(hidden, channels, 3 * hidden)
        self.mix = _uniform(2 * hidden + 1, channels, attention, 2 * hidden + 1)  # query, key, Δt
        self.score = _uniform(attention, channels, attention)
        self.score_bias = _uniform(attention, channels)

    def forward(self, series: Tensor, lengths: Tensor) -> Tensor:
        """Map (N, T, F) and (N,) to tokens (N, F, H); padding, whatever it holds, changes nothing."""
        there = torch.arange(series.shape[1], device=series.device) < lengths[:, None]
        series = series.masked_fill(~there[:, :, None], 0)
        tokens = [
            self._block(part, lengths, *weights) for part, *weights in self._blocks(series.permute(1, 2, 0))
        ]
        return torch.cat(tokens).permute(2, 0, 1).contiguous()

    def _blocks(self, series: Tensor) -> Iterator[tuple[Tensor, ...]]:
        """Cut (T, F, N) and all weights into blocks of channels: few on a CPU, all on an accelerator."""
        _, channels, n = series.shape
        size = max(1, CACHED // (n * self.hidden)) if series.device.type == "cpu" else channels
        yield from zip(
            series.split(size, 1), *(weight.split(size) for weight in self.parameters()), strict=True
        )

    def _block(
        self, series, lengths, weight_ih, weight_hh, bias_ih, bias_hh, mix, score, score_bias
    ) -> Tensor:
        """Map (T, F, N) to tokens (F, H, N)."""
        query, key, age = mix.split([self.hidden, self.hidden, 1], 2)
        states, last, keys = recur(series, lengths, weight_ih, weight_hh, bias_ih, bias_hh, key)
        return attend_steps(states, last, keys, lengths, query, age.squeeze(2), score, score_bias)


def _uniform(fan_in: int, *shape: int) -> nn.Parameter:
    """Return a parameter drawn as PyTorch's layers are: uniform within ± 1 / √fan_in."""
    bound = fan_in**-0.5
    return nn.Parameter(torch.empty(shape).uniform_(-bound, bound))
