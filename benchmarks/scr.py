"""Multi-label SCR: one similarity matrix for all classes against the formula class by class."""

import torch
from ratios import at_better_threads, compare, saved_bytes

from clinbench.risk.losses.scr import scr


def literal(z: torch.Tensor, labels: torch.Tensor, temperature: float = 0.1) -> torch.Tensor:
    """The paper's formula, one similarity matrix and one softmax a class."""
    n, losses = len(z), []
    others = ~torch.eye(n, dtype=torch.bool)
    for y in labels.T:
        unit = torch.nn.functional.normalize(z)
        similarity = unit @ unit.T / temperature
        log_ratio = similarity - similarity.masked_fill(~others, -torch.inf).logsumexp(1, keepdim=True)
        same = (y[:, None] == y) & others
        losses.append(-((log_ratio * same).sum(1) / same.sum(1).clamp(min=1)).mean())
    return torch.stack(losses).mean()


def step(loss, z, labels):
    """Forward and backward."""
    z.grad = None
    loss(z, labels).backward()
    return z.grad


if __name__ == "__main__":
    generator = torch.Generator().manual_seed(0)
    for n in (256, 1024):
        z = torch.randn(n, 256, generator=generator).requires_grad_()
        labels = (torch.rand(n, 25, generator=generator) < 0.165).float()
        assert torch.allclose(step(scr, z, labels), step(literal, z, labels), atol=1e-6)
        size = f"N = {n}, 25 classes, d = 256"
        ours, theirs = (
            at_better_threads(lambda f=f, z=z, labels=labels: step(f, z, labels)) for f in (scr, literal)
        )
        compare(f"SCR forward + backward, {size}", ours, theirs)
        less = saved_bytes(literal, z, labels) / saved_bytes(scr, z, labels)
        print(
            f"SCR saved memory, {size}: 1/{less:.0f} of the loop's ({saved_bytes(scr, z, labels) / 2**20:.1f} MiB)"
        )
