"""ConCare: a GRU and an attention a channel, attention among channels, DeCov penalty (risk.md §2.3)."""

import torch
from torch import Tensor, nn

from clinbench.errors import UserError
from clinbench.risk.models.attention import LastTokenAttention, TokenAttention, decov
from clinbench.risk.models.channels import ChannelEncoder
from clinbench.risk.models.layers import Dropout, Head, Output

TASKS = ["mortality", "phenotyping"]
OPTIONS = {
    "hidden": {
        "type": "integer",
        "minimum": 1,
        "default": 32,
        "description": "width of GRUs, tokens and embedding; a multiple of heads",
    },
    "heads": {
        "type": "integer",
        "minimum": 1,
        "default": 4,
        "description": "heads of the attention among tokens",
    },
    "dropout": {
        "type": "number",
        "minimum": 0,
        "exclusiveMaximum": 1,
        "default": 0.5,
        "presets": {"paper": 0.3},
        "description": "drop probability; ConCare keeps 0.5, SCEHR's text says 0.3",
    },
    "decov_weight": {
        "type": "number",
        "minimum": 0,
        "default": 1000.0,
        "description": "weight of the DeCov penalty",
    },
    "decov_tokens": {
        "type": ["integer", "null"],
        "minimum": 1,
        "default": None,
        "presets": {"reference": 33},
        "description": "how many tokens, from the first, DeCov penalises; null: all",
    },
    "unused_layers": {
        "type": "boolean",
        "default": False,
        "presets": {"reference": True},
        "description": "carry the original's layers that take no part (2,596 parameters with 12 statics)",
    },
    "head_bias": {
        "type": "boolean",
        "default": True,
        "description": "bias in the head; the paper's text has none",
    },
}
FEED_FORWARD, FEED_FORWARD_DROPOUT = 8, 0.1  # width in multiples of ``hidden``


class ConCare(nn.Module):
    """Channels → GRUs → attention over time → tokens ⊕ statics → attention, feed-forward → statics attend → z.

    With 76 channels and 12 statics it has 320,077 parameters for one output a label, 320,110 for two; with
    ``unused_layers`` 322,673 and 322,706. Without statics a one stands for them: their token is a learned
    constant.

    Args:
        features: channels F of the input.
        statics: static features S of a stay, may be 0.
        labels: None for one binary label, else the number of labels.
        outputs: logits a label, 1 or 2.
    Raises:
        UserError: ``hidden`` is no multiple of ``heads``.
    """

    def __init__(
        self,
        features: int,
        statics: int = 0,
        labels: int | None = None,
        outputs: int = 1,
        hidden: int = 32,
        heads: int = 4,
        dropout: float = 0.5,
        decov_weight: float = 1000.0,
        decov_tokens: int | None = None,
        unused_layers: bool = False,
        head_bias: bool = True,
    ):
        super().__init__()
        if hidden % heads:
            raise UserError(
                f"ConCare: hidden: {hidden} is no multiple of heads: {heads}. Change one of them."
            )
        self.decov_weight, self.decov_tokens = decov_weight, decov_tokens
        self.channels = ChannelEncoder(features, hidden)
        self.has_statics = statics > 0
        self.statics = nn.Linear(statics or 1, hidden)
        self.attention = TokenAttention(hidden, heads, dropout)
        self.feed_forward = nn.Sequential(
            nn.Linear(hidden, FEED_FORWARD * hidden),
            nn.ReLU(),
            Dropout(FEED_FORWARD_DROPOUT),
            nn.Linear(FEED_FORWARD * hidden, hidden),
        )
        self.final = LastTokenAttention(hidden, dropout)
        self.dropout = Dropout(dropout)
        self.head = Head(hidden, labels, outputs, head_bias)
        if unused_layers:  # last, so that they leave the start values of the others alone
            self.unused = _unused(statics or 1, hidden)

    def forward(self, series: Tensor, lengths: Tensor, statics: Tensor | None = None) -> Output:
        """Map (N, T, F), (N,) and (N, S) to logits and embeddings (N, hidden); padding changes nothing."""
        if not self.has_statics:
            statics = series.new_ones(len(series), 1)
        about = torch.tanh(self.statics(statics))[:, None]
        tokens = self.dropout(torch.cat([self.channels(series, lengths), about], 1))  # (N, F + 1, hidden)
        attended, contexts = self.attention(tokens)
        tokens = tokens + self.dropout(attended)
        tokens = tokens + self.dropout(self.feed_forward(tokens))
        embeddings = self.final(tokens)
        penalty = self.decov_weight * decov(contexts[:, : self.decov_tokens])
        return Output(self.head(embeddings), embeddings, penalty)


def _unused(statics: int, hidden: int) -> nn.ModuleDict:
    """Return the layers of the original that its forward pass skips, or whose output it drops."""
    return nn.ModuleDict(
        {
            "statics": nn.Linear(statics, hidden),
            "normalisation": nn.LayerNorm(hidden),
            "final_mix": nn.Linear(2 * hidden, hidden, bias=False),
            "final_score": nn.Linear(hidden, 1),
            "final_output": nn.Linear(hidden, 1),
            "final_biases": nn.ParameterList(torch.zeros(1) for _ in range(2)),
        }
    )


build = ConCare
