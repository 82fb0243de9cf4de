"""The bi-encoder's loss: softmax over the descriptions of a batch, with forward passes by length."""

from collections.abc import Iterable
from typing import Any

from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from torch import Tensor

from clinbench.coding.lengths import forward_by_length, merge_columns


class InBatchLoss(MultipleNegativesRankingLoss):
    """MultipleNegativesRankingLoss whose columns share forward passes of rows of like length.

    Loss and gradient are the library's; on a CPU a step costs half, because no short text is padded
    to the longest of its batch.
    """

    def __init__(self, model: SentenceTransformer, scale: float, rows: int) -> None:
        """Take the encoder, the factor on the cosines, and the rows per forward pass."""
        super().__init__(model, scale=scale)
        self.rows = rows

    def forward(self, sentence_features: Iterable[dict[str, Any]], labels: Tensor | None) -> Tensor:
        """Return the mean loss over the n anchors; columns are anchor, positive and negatives, n rows each."""
        columns = list(sentence_features)
        stacked = forward_by_length(self.model, merge_columns(columns), self.rows, "sentence_embedding")
        return self.compute_loss_from_embeddings(list(stacked.chunk(len(columns))), labels)
