"""Phenotyping LSTM of SCEHR: one LSTM, last valid step, linear head (risk.md §2.2)."""

from torch import Tensor, nn

from clinbench.risk.models.layers import Dropout, Head, Output, last_states, lstm

TASKS = ["mortality", "phenotyping"]
OPTIONS = {
    "hidden": {
        "type": "integer",
        "minimum": 1,
        "default": 256,
        "description": "width of the embedding",
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


class PhenotypingLSTM(nn.Module):
    """Dropout → LSTM → last valid step → dropout → z → linear head.

    With 76 inputs, 25 labels and width 256 it has 348,441 parameters for one output a label, 354,866 for two.
    The LSTM looks only back, so padded input read at each stay's last step gives what packed sequences give,
    without their slow backward pass; ``batches.bucketed`` keeps the padding short.

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
        hidden: int = 256,
        dropout: float = 0.3,
        head_bias: bool = True,
    ):
        super().__init__()
        self.lstm = lstm(features, hidden)
        self.dropout = Dropout(dropout)
        self.head = Head(hidden, labels, outputs, head_bias)

    def forward(self, series: Tensor, lengths: Tensor, statics: Tensor | None = None) -> Output:
        """Map (N, T, F) and (N,) to logits and embeddings (N, hidden); padding changes nothing."""
        embeddings = self.dropout(last_states(self.lstm, series, lengths, self.dropout))
        return Output(self.head(embeddings), embeddings)


build = PhenotypingLSTM


def stack(model: PhenotypingLSTM, count: int) -> nn.Module:
    """Return ``count`` copies of a model as one, see ``stacked.Stack``."""
    from clinbench.risk.models.stacked_phenotyping import StackedPhenotypingLSTM

    return StackedPhenotypingLSTM(model, count)
