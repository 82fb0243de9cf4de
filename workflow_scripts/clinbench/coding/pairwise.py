"""Cross-encoders as functions: load one, or make one of an encoder's folder; score pairs by raw logits."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clinbench.coding.load import CHUNK, quieten
from clinbench.errors import UserError
from clinbench.progress import progress

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


def load_cross_encoder(path: str | Path, device: str, max_length: int) -> "CrossEncoder":
    """Load a cross-encoder, or give an encoder's weights a new, random head with one output.

    Its activation is the identity: a sigmoid would squash large logits into ties (field.md item 50).

    Args:
        path: folder of a cross-encoder or an encoder.
        device: ``cpu`` or ``cuda``.
        max_length: tokens per pair, never more than the model allows.

    Raises:
        UserError: the folder cannot be loaded, or its model has several outputs.
    """
    import torch
    from sentence_transformers import CrossEncoder

    quieten()
    try:
        model = CrossEncoder(
            str(path),
            num_labels=1,
            device=device,
            activation_fn=torch.nn.Identity(),
            local_files_only=True,
            trust_remote_code=False,
        )
    except Exception as error:
        raise UserError(f"{path} cannot be loaded as a cross-encoder: {error}.") from error
    model.model_card_data.generate_widget_examples = False  # they would quote training mentions
    model.max_seq_length = min(max_length, model.max_seq_length or max_length)
    return model


def score_pairs(model: "CrossEncoder", pairs: list[tuple[str, str]], batch: int = 64) -> np.ndarray:
    """Score pairs by raw float32 logits, those of like length together.

    Args:
        model: from ``load_cross_encoder``.
        pairs: n distinct (mention, text) pairs.
        batch: pairs per forward pass.

    Returns:
        (n,) float32.
    """
    order = sorted(range(len(pairs)), key=lambda at: -len(pairs[at][0]) - len(pairs[at][1]))
    chunks = [order[start : start + CHUNK * batch] for start in range(0, len(order), CHUNK * batch)]
    scores = np.zeros(len(pairs), dtype=np.float32)
    for chunk in progress(chunks, f"score {len(pairs)} pairs, chunks of {CHUNK * batch}"):
        scores[chunk] = model.predict([pairs[at] for at in chunk], batch_size=batch, show_progress_bar=False)
    return scores
