"""One step of K settings: one stacked model against K models one after the other, on one thread or a GPU."""

import torch
from ratios import compare

from clinbench.risk.losses.supervised import SupervisedContrastiveLoss
from clinbench.risk.models import mortality_lstm, phenotyping_lstm

STEPS, FEATURES, STAYS = 48, 76, 64
KINDS = {
    "mortality": (mortality_lstm, 16, None, (2, 8, 32)),
    "phenotyping": (phenotyping_lstm, 64, 25, (2, 8)),
}


def steps(kind, hidden: int, labels: int | None, count: int, device: str):
    """Return a function for a step of the stacked model, and one for a step of each single model."""
    series = torch.randn(STAYS, STEPS, FEATURES, device=device)
    lengths = torch.full((STAYS,), STEPS, device=device)
    targets = (torch.rand((STAYS, labels) if labels else STAYS, device=device) < 0.15).float()
    single = [
        kind.build(FEATURES, labels=labels, outputs=2, hidden=hidden).to(device).train() for _ in range(count)
    ]
    stack = kind.stack(single[0], count).to(device).train()
    loss = SupervisedContrastiveLoss("cbce", 0.003, check_values=False)
    optimisers = [torch.optim.Adam(model.parameters()) for model in (stack, *single)]

    def step(model, optimiser) -> float:
        outputs = model(series, lengths)
        outputs = outputs if isinstance(outputs, list) else [outputs]
        total = torch.stack([loss(logits, z, targets) for logits, z, _ in outputs]).sum()
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        optimiser.step()
        return total.item()  # waits for an accelerator

    return (
        lambda: step(stack, optimisers[0]),
        lambda: [step(*pair) for pair in zip(single, optimisers[1:], strict=True)],
    )


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for name, (kind, hidden, labels, counts) in KINDS.items():
        for count in counts:
            compare(
                f"{name} LSTM, K = {count}, N = {STAYS}, T = {STEPS}, F = {FEATURES} on {device}",
                *steps(kind, hidden, labels, count, device),
            )
