"""Phenotyping LSTM: padded length-bucketed batches against packed sequences in random batches."""

import math
import statistics

import torch
from ratios import seconds
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence

from clinbench.risk.batches import bucketed
from clinbench.risk.models.layers import Output
from clinbench.risk.models.phenotyping_lstm import PhenotypingLSTM

BATCHES, SIZE, FEATURES, LABELS = 8, 256, 76, 25
MEAN, STD, LONGEST = 87, 124, 2804  # hours of a stay, risk.md §1.4
PATIENCE = 60  # seconds; after a packed batch that takes longer the rest are not run


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


def step(model, series, labels, lengths):
    """Forward and backward of one batch, padded to its longest stay."""
    logits = model(series[: len(lengths), : int(lengths.max())], lengths).logits
    functional.binary_cross_entropy_with_logits(logits, labels[: len(lengths)]).backward()
    model.zero_grad()


if __name__ == "__main__":
    generator = torch.Generator().manual_seed(0)
    lengths = stay_lengths(BATCHES * SIZE, generator)
    series = torch.randn(SIZE, int(lengths.max()), FEATURES, generator=generator)
    labels = (torch.rand(SIZE, LABELS, generator=generator) < 0.165).float()
    ours, theirs = PhenotypingLSTM(FEATURES, 0, LABELS), PackedLSTM(FEATURES, 0, LABELS)
    theirs.load_state_dict(ours.state_dict())
    few = lengths[:SIZE].clamp(max=50)
    ours.eval(), theirs.eval()
    assert torch.allclose(ours(series[:, :50], few).logits, theirs(series[:, :50], few).logits, atol=1e-5)
    ours.train(), theirs.train()

    padded = [lengths[rows] for rows in bucketed(lengths, SIZE, generator)]
    random = sorted(
        (lengths[rows] for rows in torch.randperm(len(lengths), generator=generator).split(SIZE)),
        key=torch.max,
    )

    def one_pass():
        for batch in padded:
            step(ours, series, labels, batch)

    step(ours, series, labels, few)  # warm up
    fast, slow = [seconds(one_pass)], []
    while len(slow) < BATCHES and max(slow, default=0) < PATIENCE:
        batch = random[len(slow)]
        slow.append(seconds(lambda batch=batch: step(theirs, series, labels, batch)))
    fast.append(seconds(one_pass))
    # The batches not run have longer stays than the last one run, so they would take longer still.
    left = BATCHES - len(slow)
    ratio = (sum(slow) + left * slow[-1]) / statistics.median(fast)
    print(
        f"phenotyping LSTM forward + backward, {BATCHES} batches of {SIZE} stays: "
        f"{'at least ' if left else ''}{ratio:.1f} times faster"
    )
    if left:
        print(
            f"  {len(slow)} of the packed batches run, longest stay {int(random[len(slow) - 1].max())} steps, "
            f"one took over {PATIENCE} s; the {left} with longer stays are counted like the last"
        )
