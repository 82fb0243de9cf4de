"""K models of one shape as one: parameters (K, …), products batched over the models."""

import torch
from torch import Tensor, nn


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


def stacked_lstm(
    series: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor
) -> Tensor:
    """Run K one-layer LSTMs, each as ``nn.LSTM`` with gates input, forget, cell, output.

    Args:
        series: inputs (K, N, T, F), or (1, N, T, F) where all read the same.
        weight_ih: (K, 4H, F).
        weight_hh: (K, 4H, H).
        bias_ih, bias_hh: (K, 4H).

    Returns:
        States (K, N, T, H).
    """
    count, hidden = weight_hh.shape[0], weight_hh.shape[2]
    n, steps, features = series.shape[1:]
    bias = (bias_ih + bias_hh)[:, None]
    flat = series.reshape(series.shape[0], n * steps, features).expand(count, -1, -1)
    inputs = torch.baddbmm(bias, flat, weight_ih.transpose(1, 2)).view(count, n, steps, 4 * hidden)
    recurrent = weight_hh.transpose(1, 2)
    state = cell = series.new_zeros(count, n, hidden)
    states = []
    for step in range(steps):
        into, forget, new, out = torch.baddbmm(inputs[:, :, step], state, recurrent).chunk(4, dim=-1)
        cell = forget.sigmoid() * cell + into.sigmoid() * new.tanh()
        state = out.sigmoid() * cell.tanh()
        states.append(state)
    return torch.stack(states, 2)
