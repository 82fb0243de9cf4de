"""Phenotyping LSTM: padded length-bucketed batches against packed sequences in random batches."""

import math

import torch
from ratios import seconds
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence

from clinbench.risk.batches import bucketed, shuffled
from clinbench.risk.models.layers import Output
from clinbench.risk.models.phenotyping_lstm import PhenotypingLSTM

BATCHES, SIZE, FEATURES, LABELS = 8, 256, 76, 25
MEAN, STD, LONGEST = 87, 124, 2804  # hours of a stay, risk.md §1.4
PATIENCE = 60  # seconds of packed batches, after which the rest are not run


class PackedLSTM(PhenotypingLSTM):
    """The same network on packed sequences."""

    def forward(self, series, lengths, statics=None):
        packed = pack_padded_sequence(self.dropout(series), lengths, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.lstm(packed)
        embeddings = self.dropout(last[0])
        return Output(self.head(embeddings), embeddings)


def stay_lengths(n: int, generator: torch.Generator) -> torch.Tensor:
    """Draw lengths (n,) from the log-normal distribution with the cohort's mean and spread."""
    variance = math.log(1 + (STD / MEAN) ** 2)
    normal = torch.randn(n, generator=generator) * variance**0.5 + math.log(MEAN) - variance / 2
    return normal.exp().round().long().clamp(1, LONGEST)


def step(model, lengths):
    """Forward and backward of one batch."""
    steps = int(lengths.max())
    logits = model(SERIES[: len(lengths), :steps], lengths).logits
    functional.binary_cross_entropy_with_logits(logits, TARGETS[: len(lengths)]).backward()
    model.zero_grad()


if __name__ == "__main__":
    generator = torch.Generator().manual_seed(0)
    lengths = stay_lengths(BATCHES * SIZE, generator)
    SERIES = torch.randn(SIZE, int(lengths.max()), FEATURES, generator=generator)
    TARGETS = (torch.rand(SIZE, LABELS, generator=generator) < 0.165).float()
    ours, theirs = PhenotypingLSTM(FEATURES, 0, LABELS), PackedLSTM(FEATURES, 0, LABELS)
    theirs.load_state_dict(ours.state_dict())
    few = lengths[:SIZE].clamp(max=50)
    ours.eval(), theirs.eval()
    assert torch.allclose(ours(SERIES[:, :50], few).logits, theirs(SERIES[:, :50], few).logits, atol=1e-5)
    ours.train(), theirs.train()

    padded = [lengths[rows] for rows in bucketed(lengths, SIZE, generator)]
    random = sorted((lengths[rows] for rows in shuffled(len(lengths), SIZE, generator)), key=torch.max)
    step(ours, few)  # warm up
    fast, slow = [], []
    while len(slow) < BATCHES and sum(slow) < PATIENCE:
        slow.append(seconds(lambda: step(theirs, random[len(slow)])))
        if len(slow) in (1, BATCHES):
            fast.append(seconds(lambda: [step(ours, batch) for batch in padded]))
    # Batches come by their longest stay: those left out would each take longer than the last one run.
    at_least = sum(slow) + (BATCHES - len(slow)) * slow[-1]
    print(
        f"phenotyping LSTM forward + backward, {BATCHES} batches of {SIZE}: "
        f"{'' if len(slow) == BATCHES else 'at least '}{at_least / min(fast):.1f} times faster "
        f"({len(slow)} packed batches run, those with the shortest longest stays)"
    )
