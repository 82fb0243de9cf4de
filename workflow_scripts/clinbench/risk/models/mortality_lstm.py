"""Mortality LSTM of SCEHR: bidirectional LSTM, LSTM, last step, linear head (risk.md §2.1)."""

import torch
from torch import Tensor, nn

from clinbench.risk.models.layers import Head, Output, last_step, lstm, reversed_steps

TASKS = ["mortality"]
OPTIONS = {
    "hidden": {
        "type": "integer",
        "minimum": 2,
        "multipleOf": 2,
        "default": 16,
        "description": "width of the embedding; each direction of the first layer has half",
    },
    "dropout": {
        "type": "number",
        "minimum": 0,
        "exclusiveMaximum": 1,
        "default": 0.3,
        "description": "drop probability",
    },
    "head_bias": {
        "type": "boolean",
        "default": True,
        "description": "bias in the head; the paper's text has none",
    },
}


class MortalityLSTM(nn.Module):
    """Dropout → biLSTM → dropout → LSTM → last step → dropout → z → linear head.

    With 76 inputs and width 16 it has 7,697 parameters for one output a label, 7,714 for two.

    Args:
        features: channels F of the input.
        statics: ignored.
        labels: None for one binary label, else the number of labels.
        outputs: logits a label, 1 or 2.
    """

    def __init__(
        self,
        features: int,
        statics: int = 0,
        labels: int | None = None,
        outputs: int = 1,
        hidden: int = 16,
        dropout: float = 0.3,
        head_bias: bool = True,
    ):
        super().__init__()
        self.forward_lstm = lstm(features, hidden // 2)
        self.backward_lstm = lstm(features, hidden // 2)
        self.lstm = lstm(hidden, hidden)
        self.dropout = nn.Dropout(dropout)
        self.head = Head(hidden, labels, outputs, head_bias)

    def forward(self, series: Tensor, lengths: Tensor, statics: Tensor | None = None) -> Output:
        """Map (N, T, F) and (N,) to logits and embeddings (N, hidden); padding changes nothing."""
        series = self.dropout(series)
        ahead, _ = self.forward_lstm(series)
        back, _ = self.backward_lstm(reversed_steps(series, lengths))
        both = torch.cat([ahead, reversed_steps(back, lengths)], dim=-1)  # (N, T, hidden)
        steps, _ = self.lstm(self.dropout(both))
        embeddings = self.dropout(last_step(steps, lengths))
        return Output(self.head(embeddings), embeddings)


build = MortalityLSTM


def stack(model: MortalityLSTM, count: int) -> nn.Module:
    """Return ``count`` copies of a model as one, see ``stacked.Stack``."""
    from clinbench.risk.models.stacked_mortality import StackedMortalityLSTM

    return StackedMortalityLSTM(model, count)
