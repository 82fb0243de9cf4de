"""List-wise softmax cross-entropy with one positive per group (coding.md sections 2 and 2.1).

    L = mean over groups g of  -log( exp(s_g0) / sum_j exp(s_gj) )

where s_gj are the raw logits of the group's candidates and the positive stands first. None of the
library's cross-encoder losses is this: ListNet softens the target, its MultipleNegativesRanking adds
random negatives and squashes the logits.
"""

import torch
from sentence_transformers import CrossEncoder
from sentence_transformers.util import batch_to_device
from torch import Tensor, nn

from clinbench.coding.lengths import forward_by_length


def listwise_loss(logits: Tensor, sizes: list[int]) -> Tensor:
    """Compute the loss of ragged groups.

    Args:
        logits: (candidates of all groups,) group after group, the positive first in each.
        sizes: candidates per group, each at least 1.

    Returns:
        Scalar in the dtype of ``logits``; half precision is computed in float32.
    """
    if logits.dtype in (torch.float16, torch.bfloat16):
        logits = logits.float()
    padded = nn.utils.rnn.pad_sequence(logits.split(sizes), batch_first=True, padding_value=-torch.inf)
    return -padded.log_softmax(dim=1)[:, 0].mean()  # padded: (groups, longest)


class ListwiseLoss(nn.Module):
    """The loss in the form the cross-encoder trainer calls: columns query and candidates, no labels."""

    def __init__(self, model: CrossEncoder, rows: int) -> None:
        """Take the cross-encoder, with one output, and the pairs per forward pass."""
        super().__init__()
        self.model = model
        self.rows = rows

    def forward(
        self, inputs: list, labels: None, prompt: str | None = None, task: str | None = None
    ) -> Tensor:
        """Return the loss of g groups.

        Args:
            inputs: g mentions and g lists of candidates, the positive first in each.
            labels, prompt, task: what the trainer hands to every loss; not used.
        """
        queries, candidates = inputs
        pairs = [(query, text) for query, texts in zip(queries, candidates, strict=True) for text in texts]
        features = batch_to_device(self.model.preprocess(pairs), self.model.device)
        logits = forward_by_length(self.model, features, self.rows, "scores").view(-1)
        return listwise_loss(logits, [len(texts) for texts in candidates])
