"""ConCare, forward and backward: batched channels against one module a channel, each at its better thread count."""

import torch
from literal_concare import LiteralConCare, as_batched
from ratios import at_better_threads, compare

from clinbench.risk.models.concare import ConCare

STAYS, STEPS, CHANNELS, STATICS = 256, 48, 76, 12


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    ours, theirs = ConCare(CHANNELS, STATICS).to(device), LiteralConCare(CHANNELS, STATICS).to(device)
    ours.load_state_dict(as_batched(theirs))
    series = torch.randn(STAYS, STEPS, CHANNELS, device=device)
    statics = torch.randn(STAYS, STATICS, device=device)
    lengths = torch.full((STAYS,), STEPS, device=device)

    def step(model, *inputs):
        """Forward and backward."""
        model.zero_grad()
        logits, _, penalty = model(*inputs)
        (logits.mean() + penalty).backward()
        return model.statics.weight.grad.sum().item()  # waits for an accelerator

    ours.eval(), theirs.eval()
    assert torch.allclose(ours(series, lengths, statics)[1], theirs(series, statics)[1], atol=1e-5)
    ours.train(), theirs.train()
    compare(
        f"ConCare forward + backward on {device}, N = {STAYS}, T = {STEPS}, F = {CHANNELS}",
        at_better_threads(lambda: step(ours, series, lengths, statics)),
        at_better_threads(lambda: step(theirs, series, statics)),
    )
