"""K models of one shape as one: parameters (K, …), products batched over the models."""

import torch
from torch import Tensor, nn

from clinbench.risk.models.layers import Output

State = tuple[Tensor, Tensor]


class Stack(nn.Module):
    """Base of stacked models: K copies of a model's parameters, each free to move on its own.

    A model plug-in that can be stacked has ``stack(model, count)``, which returns a subclass whose ``forward``
    returns one ``Output`` for each of the K models, and draws what the single model would draw: all copies
    see one dropout mask, as trainings from one seed do.

    Args:
        model: start of every copy.
        count: K.
    """

    def __init__(self, model: nn.Module, count: int):
        super().__init__()
        self.count = count
        self._names = {name: name.replace(".", "_") for name, _ in model.named_parameters()}
        for name, parameter in model.named_parameters():
            copies = parameter.detach().expand(count, *parameter.shape).clone()
            self.register_parameter(self._names[name], nn.Parameter(copies))

    def of(self, name: str) -> Tensor | None:
        """Return the K copies of a parameter by its name in the single model; None if it has no such one."""
        return getattr(self, self._names[name]) if name in self._names else None

    def single(self, index: int) -> dict[str, Tensor]:
        """Return model ``index`` as a state of the single model, copied to the CPU."""
        return {name: self.of(name)[index].detach().cpu().clone() for name in self._names}

    def clip(self, limit: float) -> None:
        """Clip the gradients of each model to its own norm, as ``clip_grad_norm_`` does for one."""
        gradients = [parameter.grad for parameter in self.parameters() if parameter.grad is not None]
        squares = torch.stack([grad.flatten(1).square().sum(1) for grad in gradients])  # (parameters, K)
        factor = (limit / (squares.sum(0).sqrt() + 1e-6)).clamp(max=1.0)  # (K,)
        for grad in gradients:
            grad.mul_(factor.view(-1, *[1] * (grad.ndim - 1)))


class StackedLSTMs(Stack):
    """Base of stacked models of LSTM layers, dropout and a head, named as in the single model.

    Args:
        model: start of every copy, with ``dropout`` and ``head``.
        count: K.
    """

    def __init__(self, model: nn.Module, count: int):
        super().__init__(model, count)
        self.dropout, self.shape = model.dropout, model.head.shape

    def layer(self, name: str, series: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Run the K copies of an LSTM layer, see ``stacked_lstm``."""
        parts = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        return stacked_lstm(series, *(self.of(f"{name}.{part}") for part in parts), state)

    def drop(self, tensor: Tensor) -> Tensor:
        """Drop the same entries of (K, …) in every model, those that a single model would drop."""
        if not self.training or not self.dropout.p:
            return tensor
        return tensor * self.dropout(torch.ones_like(tensor[0]))

    def outputs(self, embeddings: Tensor) -> list[Output]:
        """Map embeddings (K, N, d) to what each single model returns."""
        weight, bias = self.of("head.weight"), self.of("head.bias")
        logits = embeddings @ weight.transpose(1, 2)  # (K, N, outputs)
        logits = logits if bias is None else logits + bias[:, None]
        return [
            Output(logit.reshape(len(z), *self.shape), z) for logit, z in zip(logits, embeddings, strict=True)
        ]


def stacked_lstm(
    series: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias_ih: Tensor,
    bias_hh: Tensor,
    state: State | None = None,
) -> tuple[Tensor, State]:
    """Run K one-layer LSTMs, each as ``nn.LSTM`` with gates input, forget, cell, output.

    Args:
        series: inputs (K, N, T, F), or (1, N, T, F) where all read the same.
        weight_ih: (K, 4H, F).
        weight_hh: (K, 4H, H).
        bias_ih, bias_hh: (K, 4H).
        state: hidden and cell state to go on from, each (K, N, H); None starts at zero.

    Returns:
        States (K, N, T, H), and the last hidden and cell state.
    """
    count, hidden = weight_hh.shape[0], weight_hh.shape[2]
    n, steps, features = series.shape[1:]
    bias = (bias_ih + bias_hh)[:, None]
    flat = series.reshape(series.shape[0], n * steps, features).expand(count, -1, -1)
    inputs = torch.baddbmm(bias, flat, weight_ih.transpose(1, 2)).view(count, n, steps, 4 * hidden)
    recurrent = weight_hh.transpose(1, 2)
    hidden_state, cell = state or 2 * (series.new_zeros(count, n, hidden),)
    states = []
    for step in range(steps):
        into, forget, new, out = torch.baddbmm(inputs[:, :, step], hidden_state, recurrent).chunk(4, dim=-1)
        cell = forget.sigmoid() * cell + into.sigmoid() * new.tanh()
        hidden_state = out.sigmoid() * cell.tanh()
        states.append(hidden_state)
    return torch.stack(states, 2), (hidden_state, cell)
