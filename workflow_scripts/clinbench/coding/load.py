"""Encoders as functions: load a sentence-transformers folder offline, turn texts into unit vectors."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clinbench.errors import UserError
from clinbench.progress import progress

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

CHUNK = 16  # batches between two lines of progress


def load_encoder(path: str | Path, device: str, max_length: int | None = None) -> "SentenceTransformer":
    """Load an encoder from a local folder; nothing is fetched and no code in the folder is run.

    Args:
        path: a sentence-transformers folder, or a plain transformer (mean pooling is added, and said).
        device: ``cpu`` or ``cuda``.
        max_length: tokens per text, never more than the model allows; None keeps the model's own.

    Raises:
        UserError: the folder cannot be loaded.
    """
    from sentence_transformers import SentenceTransformer

    quieten()
    if not (Path(path) / "modules.json").is_file():
        print(f"{path}: no modules.json, so a plain transformer: mean pooling is used.", file=sys.stderr)
    try:
        model = SentenceTransformer(str(path), device=device, local_files_only=True, trust_remote_code=False)
    except Exception as error:
        raise UserError(
            f"Encoder {path} cannot be loaded: {error}. Is it a complete model with its tokenizer?"
        ) from error
    model.model_card_data.generate_widget_examples = False  # they would quote training mentions
    if max_length is not None:
        model.max_seq_length = min(max_length, model.max_seq_length or max_length)
    return model


def encode(model: "SentenceTransformer", texts: list[str], batch: int = 64) -> np.ndarray:
    """Encode texts; equal texts are encoded once, and texts of like length together.

    Args:
        model: from ``load_encoder``.
        texts: n texts.
        batch: texts per forward pass.

    Returns:
        (n, d) float32, rows of length 1; equal texts have equal rows, bit for bit.
    """
    distinct = sorted(set(texts), key=lambda text: (-len(text), text))
    chunks = [distinct[start : start + CHUNK * batch] for start in range(0, len(distinct), CHUNK * batch)]
    if not chunks:
        return np.zeros((0, model.get_embedding_dimension()), dtype=np.float32)
    rows = [
        model.encode(chunk, batch_size=batch, normalize_embeddings=True, show_progress_bar=False)
        for chunk in progress(chunks, f"encode {len(distinct)} texts, chunks of {CHUNK * batch}")
    ]
    place = {text: row for row, text in enumerate(distinct)}
    return np.concatenate(rows).astype(np.float32, copy=False)[[place[text] for text in texts]]


def quieten() -> None:
    """Keep progress bars and notes of the model libraries out of the logs; warnings stay."""
    import datasets
    import transformers

    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    datasets.disable_progress_bars()
