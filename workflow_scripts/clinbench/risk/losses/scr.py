"""Supervised contrastive regulariser (SCR), binary and multi-label, with its analytic gradient."""

import torch
from torch import Tensor

from clinbench.risk.losses.checks import check_batch, full_precision, number_above

SHORTEST = 1e-12  # a row shorter than this counts as zero, so that its gradient stays finite


def scr(embeddings: Tensor, labels: Tensor, temperature: float = 0.1) -> Tensor:
    """Supervised contrastive regulariser, averaged over classes.

    Args:
        embeddings: (N, d) floating.
        labels: (N,) or (N, C) of 0 and 1.
        temperature: τ > 0.

    Raises:
        UserError: a bad argument, by name.

    Example:
        >>> z = torch.tensor([[1., 0.], [0., 1.], [-1., 0.], [.6, .8], [-.6, .8]], dtype=torch.float64)
        >>> round(scr(z, torch.tensor([1, 1, 0, 0, 0])).item(), 6)
        6.8324
    """
    number_above("temperature", temperature, 0, strict=True)
    check_batch(labels, embeddings=embeddings)
    return scr_per_class(embeddings, labels, temperature)[0].mean()


def scr_per_class(embeddings: Tensor, labels: Tensor, temperature: float = 0.1) -> tuple[Tensor, Tensor]:
    """SCR of each class, from one similarity matrix; the arguments of ``scr``, not checked.

    For class c: ``-1/N Σ_i 1/|P_c(i)| Σ_{j in P_c(i)} log(e^{s_ij/τ} / Σ_{k≠i} e^{s_ik/τ})`` with s the
    cosine and P_c(i) the other samples with the label of i (risk.md 3.1; paper eq. for SCR). An anchor
    without partner adds nothing and is counted. Half precision is computed in float32.

    Returns:
        Loss of each class (C,), and the number of anchors without partner of each class (C,).
    """
    labels = labels[:, None] if labels.ndim == 1 else labels
    z = full_precision(embeddings)
    y = labels.to(z.dtype)
    groups = torch.cat([y, 1 - y], dim=1)  # (N, 2C)
    members = groups.sum(0)
    alone = members == 1
    skipped = alone.view(2, -1).sum(0)
    if len(z) < 2:  # no pair, and a row without others has no log-sum-exp
        return (z * 0).sum().expand(len(skipped)), skipped
    weights = (members - 1).clamp(min=1).reciprocal()
    per_group = _ScrPerGroup.apply(z, groups.masked_fill_(alone, 0), weights, temperature)
    return per_group.view(2, -1).sum(0), skipped


class _ScrPerGroup(torch.autograd.Function):
    """Part of the SCR that each group's anchors add, in O(N²(d+C)) time and O(N² + NC) memory.

    A class is two groups m: its positives and its negatives, with indicators G (N, M), n_m members
    and w_m = 1/(n_m − 1); a group of one has no pair and its column of G is empty. Let u_i be the unit
    rows, ℓ_i = log Σ_{k≠i} exp(u_iᵀu_k/τ) and p_m = Σ_i G_im u_i. The sum of u_iᵀu_j over the pairs of
    a group is the square of its sum p_m without the diagonal, so no loop over classes is needed:

        N·L_m = Σ_i G_im ℓ_i − w_m/τ (‖p_m‖² − Σ_i G_im ‖u_i‖²).

    With P_ik = exp(u_iᵀu_k/τ − ℓ_i), incoming gradients g_m and r = G g / N:

        τ ∂/∂u = (diag(r) P + Pᵀ diag(r)) u − 2/N G (g w p),    ∂/∂z = (I − uuᵀ) ∂/∂u / ‖z‖;

    the diagonal's ‖u_i‖² points along u and so adds nothing. A second derivative computes P again.
    """

    @staticmethod
    def forward(ctx, z: Tensor, groups: Tensor, weights: Tensor, temperature: float) -> Tensor:
        with torch.autocast(z.device.type, enabled=False):
            scale, largest, exponentials, total = _exponentials(z, temperature)
            ctx.save_for_backward(z, groups, weights, scale, exponentials, total)
            ctx.temperature = temperature
            unit = z * scale
            pairs = (groups.T @ unit).square().sum(1) - unit.square().sum(1) @ groups
            return ((largest + total.log()) @ groups - weights / temperature * pairs) / len(z)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        z, groups, weights, scale, exponentials, total = ctx.saved_tensors
        with torch.autocast(z.device.type, enabled=False):
            if torch.is_grad_enabled():  # a second derivative is wanted
                scale, _, exponentials, total = _exponentials(z, ctx.temperature)
            unit = z * scale
            gradient = gradient / len(z)
            softmax = exponentials * (groups @ gradient / total)[:, None]
            # The transpose is copied first: adding a transposed view is slow on a CPU.
            softmax = softmax.T.clone(memory_format=torch.contiguous_format).add_(softmax)
            pull = groups @ ((gradient * weights)[:, None] * (groups.T @ unit))
            to_unit = torch.addmm(pull, softmax, unit, beta=-2)
            across = to_unit - (to_unit * unit).sum(1, keepdim=True) * unit
            return across * (scale / ctx.temperature), None, None, None


def _exponentials(z: Tensor, temperature: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Exponentiate the similarities of all pairs.

    Returns:
        1/‖z‖ (N, 1), largest similarity/τ of each row without its diagonal (N,), exp(similarity/τ − largest)
        with 0 on the diagonal (N, N), and its row sums (N,).
    """
    # In float64 neither squares of 1e30 overflow nor those of 1e-30 vanish.
    length = torch.linalg.vector_norm(z, dim=1, keepdim=True, dtype=torch.float64)
    scale = length.masked_fill(length < SHORTEST, 1).reciprocal().to(z.dtype)
    unit = z * scale
    similarity = torch.mm(unit, unit.T).div_(temperature).fill_diagonal_(-torch.inf)
    largest = similarity.detach().amax(1)
    exponentials = similarity.sub_(largest[:, None]).exp_()
    return scale, largest, exponentials, exponentials.sum(1)
