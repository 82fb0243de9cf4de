"""ConCare written as it is described: one module a channel, one step after the other (risk.md §2.3)."""

import torch
from torch import Tensor, nn


class LiteralConCare(nn.Module):
    """ConCare for stays of one length, with a list of ``nn.GRU`` and ``nn.Linear`` and a loop over tokens."""

    def __init__(self, features: int, statics: int, hidden: int = 32, heads: int = 4, dropout: float = 0.5):
        super().__init__()
        self.heads = heads
        self.grus = nn.ModuleList(nn.GRU(1, hidden, batch_first=True) for _ in range(features))
        self.mixes = nn.ModuleList(nn.Linear(2 * hidden + 1, 8, bias=False) for _ in range(features))
        self.scores = nn.ModuleList(nn.Linear(8, 1) for _ in range(features))
        self.statics = nn.Linear(statics, hidden)
        self.query, self.key, self.value, self.output = (nn.Linear(hidden, hidden) for _ in range(4))
        self.wide, self.narrow = nn.Linear(hidden, 8 * hidden), nn.Linear(8 * hidden, hidden)
        self.final_query, self.final_key, self.final_value = (nn.Linear(hidden, hidden) for _ in range(3))
        self.dropout, self.inner_dropout = nn.Dropout(dropout), nn.Dropout(0.1)
        self.head = nn.Linear(hidden, 1)

    def forward(self, series: Tensor, statics: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Map (N, T, F) and (N, S) to logits (N,), embeddings (N, H) and the unweighted penalty."""
        tokens = [self._token(series[:, :, [channel]], channel) for channel in range(series.shape[2])]
        tokens.append(torch.tanh(self.statics(statics)))
        tokens = self.dropout(torch.stack(tokens, 1))
        contexts = self._contexts(tokens)
        tokens = tokens + self.dropout(self.output(contexts))
        tokens = tokens + self.dropout(self.narrow(self.inner_dropout(torch.relu(self.wide(tokens)))))
        weights = torch.softmax((self.final_key(tokens) * self.final_query(tokens[:, -1:])).sum(2), 1)
        embeddings = (self.dropout(weights)[:, :, None] * self.final_value(tokens)).sum(1)
        return self.head(embeddings).squeeze(1), embeddings, sum(_decov(part) for part in contexts.unbind(1))

    def _token(self, series: Tensor, channel: int) -> Tensor:
        """Summarise one channel (N, T, 1) as (N, H)."""
        states, _ = self.grus[channel](series)
        n, steps, _ = states.shape
        last = states[:, -1:].expand(-1, steps, -1)
        left = torch.arange(steps - 1, -1, -1, dtype=states.dtype).expand(n, steps)[:, :, None]
        mixed = torch.tanh(self.mixes[channel](torch.cat([last, states, left], 2)))
        return (torch.softmax(self.scores[channel](mixed), 1) * states).sum(1)

    def _contexts(self, tokens: Tensor) -> Tensor:
        """Attend among tokens (N, K, H) and concatenate the heads."""
        query, key, value = (
            layer(tokens).unflatten(2, (self.heads, -1)).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        weights = torch.softmax(query @ key.transpose(2, 3) / query.shape[3] ** 0.5, 3)
        return (self.dropout(weights) @ value).transpose(1, 2).flatten(2)


def _decov(token: Tensor) -> Tensor:
    """DeCov of one token (N, H)."""
    covariance = torch.cov(token.T)
    return (covariance.square().sum() - covariance.diagonal().square().sum()) / 2


def as_batched(model: LiteralConCare, of=lambda parameter: parameter.data) -> dict[str, Tensor]:
    """Return weights, or what ``of`` takes of them such as gradients, under the names and shapes of ``ConCare``."""

    def stack(parameters):
        return torch.stack([of(parameter) for parameter in parameters])

    def join(*layers):
        return {
            name: torch.cat([of(getattr(layer, name)) for layer in layers]) for name in ("weight", "bias")
        }

    parts = {
        "channels": {
            name: stack(getattr(gru, f"{name}_l0") for gru in model.grus)
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        },
        "statics": join(model.statics),
        "attention.inputs": join(model.query, model.key, model.value),
        "attention.output": join(model.output),
        "feed_forward.0": join(model.wide),
        "feed_forward.3": join(model.narrow),
        "final.query": join(model.final_query),
        "final.key": join(model.final_key),
        "final.value": join(model.final_value),
        "head": join(model.head),
    }
    parts["channels"]["weight_ih"] = parts["channels"]["weight_ih"].squeeze(2)
    parts["channels"]["mix"] = stack(mix.weight for mix in model.mixes)
    parts["channels"]["score"] = stack(score.weight for score in model.scores).squeeze(1)
    parts["channels"]["score_bias"] = stack(score.bias for score in model.scores).squeeze(1)
    return {f"{part}.{name}": tensor for part, of_part in parts.items() for name, tensor in of_part.items()}
