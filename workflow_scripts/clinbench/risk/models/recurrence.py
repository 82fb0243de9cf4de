"""Many small GRUs of one input each, run as one batched product a step, with a hand-written backward pass."""

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

_sigmoid_backward = torch.ops.aten.sigmoid_backward.grad_input
_tanh_backward = torch.ops.aten.tanh_backward.grad_input


def recur(
    series: Tensor,
    lengths: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias_ih: Tensor,
    bias_hh: Tensor,
    readout: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Run one GRU a channel, each as ``nn.GRU(1, H)``, and project each state.

    Args:
        series: inputs (T, F, N).
        lengths: valid steps (N,) int64.
        weight_ih: (F, 3H), gates reset, update, new.
        weight_hh: (F, 3H, H).
        bias_ih, bias_hh: (F, 3H).
        readout: (F, A, H).

    Returns:
        States (T, F, H, N), the last valid ones (F, H, N), and projections ``readout @ state`` (T, F, A, N).
    """
    hidden = weight_hh.shape[2]
    gates, new = weight_ih[:, : 2 * hidden], weight_ih[:, 2 * hidden :]
    # The new gate's input part stays outside its product with the reset gate.
    inputs = torch.cat([gates, torch.zeros_like(new)], 1)
    biases = bias_hh + torch.cat([bias_ih[:, : 2 * hidden], torch.zeros_like(new)], 1)
    recurrent = torch.cat([weight_hh, inputs[:, :, None], biases[:, :, None]], 2)
    rows = torch.cat([recurrent, torch.nn.functional.pad(readout, (0, 2))], 1)  # (F, 3H + A, H + 2)
    return _Recurrence.apply(series, lengths, rows, torch.stack([new, bias_ih[:, 2 * hidden :]], 2))


class _Recurrence(torch.autograd.Function):
    """``recur`` with its weights packed.

    A step multiplies ``rows`` (F, 3H + A, H + 2) with the column [state; input; 1], so that recurrent weights,
    input weights and biases are one product, and the readout of a state comes with the gates of the next step.
    Samples are the last axis: each gate is one contiguous block. ``new`` (F, H, 2) is the new gate's input part.
    """

    @staticmethod
    def forward(ctx, series: Tensor, lengths: Tensor, rows: Tensor, new: Tensor):
        steps, channels, n = series.shape
        hidden = new.shape[1]
        columns = series.new_zeros(steps + 1, channels, hidden + 2, n)
        columns[:-1, :, hidden] = series
        columns[:, :, hidden + 1] = 1
        products = series.new_empty(steps + 1, channels, rows.shape[1], n)
        candidates = series.new_empty(steps, channels, hidden, n)
        for column, after, product, candidate in zip(
            columns[:-1], columns[1:], products[:-1], candidates, strict=True
        ):
            torch.bmm(rows, column, out=product)
            gates = product[:, : 2 * hidden]
            torch.sigmoid(gates, out=gates)
            torch.mul(gates[:, :hidden], product[:, 2 * hidden : 3 * hidden], out=candidate)
            # tanh(x) = 2 σ(2x) − 1, three times as fast on a CPU; the product doubles x.
            candidate.baddbmm_(new, column[:, hidden:], beta=2, alpha=2)
            candidate.sigmoid_().mul_(2).sub_(1)
            torch.lerp(candidate, column[:, :hidden], gates[:, hidden:], out=after[:, :hidden])
        readouts = products[1:, :, 3 * hidden :]
        torch.bmm(rows[:, 3 * hidden :], columns[-1], out=readouts[-1])
        ctx.save_for_backward(columns, products, candidates, lengths, rows, new)
        states = columns[1:, :, :hidden]
        last = states.gather(0, (lengths - 1).expand(1, channels, hidden, n))[0]
        return states, last, readouts

    @staticmethod
    @once_differentiable
    def backward(ctx, d_states: Tensor, d_last: Tensor, d_readouts: Tensor):
        columns, products, candidates, lengths, rows, new = ctx.saved_tensors
        steps, channels, hidden, n = candidates.shape
        transposed, readout = rows[:, :, :hidden].transpose(1, 2), slice(3 * hidden, None)
        d_series = d_states.new_empty(steps, channels, n) if ctx.needs_input_grad[0] else None
        d_rows = rows.new_zeros(channels, hidden + 2, rows.shape[1])  # transposed: a faster product
        d_rows[:, :, readout].baddbmm_(columns[-1], d_readouts[-1].transpose(1, 2))
        d_new = torch.zeros_like(new)
        d_state = torch.bmm(transposed[:, :, readout], d_readouts[-1])
        d_product = products.new_zeros(channels, rows.shape[1], n)
        d_reset, d_update, d_hidden = d_product[:, : 3 * hidden].split(hidden, 1)
        ends = set((lengths - 1).tolist())
        kept, d_candidate = torch.empty_like(d_state), torch.empty_like(d_state)
        for step in reversed(range(steps)):
            column, candidate = columns[step], candidates[step]
            reset, update, linear = products[step, :, : 3 * hidden].split(hidden, 1)
            d_state.add_(d_states[step])
            if step in ends:
                d_state.addcmul_(d_last, (lengths - 1 == step).to(d_last.dtype))
            torch.sub(column[:, :hidden], candidate, out=kept).mul_(d_state)
            _sigmoid_backward(kept, update, grad_input=d_update)
            torch.mul(d_state, update, out=kept)
            _tanh_backward(d_state.sub_(kept), candidate, grad_input=d_candidate)
            d_new.baddbmm_(d_candidate, column[:, hidden:].transpose(1, 2))
            torch.mul(d_candidate, reset, out=d_hidden)
            if d_series is not None:
                torch.bmm(new[:, None, :, 0], d_candidate, out=d_series[step][:, None])
            _sigmoid_backward(d_candidate.mul_(linear), reset, grad_input=d_reset)
            if step:
                d_product[:, readout] = d_readouts[step - 1]
            else:
                d_product[:, readout] = 0
            d_rows.baddbmm_(column, d_product.transpose(1, 2))
            if d_series is not None:
                d_series[step][:, None].baddbmm_(rows[:, None, :, hidden], d_product)
            torch.baddbmm(kept, transposed, d_product, out=d_state)
        return d_series, None, d_rows.transpose(1, 2), d_new
