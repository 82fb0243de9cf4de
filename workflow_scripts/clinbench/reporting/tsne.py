"""t-SNE of embeddings together with the anchors of a loss (SCEHR, figure of embeddings; risk.md §4.7)."""

import sys

import numpy as np
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

from clinbench.errors import UserError

LEARNING_RATE = 200.0  # scikit-learn's default when the paper's figure was made


def tsne_embedding(
    z: np.ndarray, anchors: np.ndarray, perplexity: float = 50, iterations: int = 1000, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, float]:
    """Embed points and anchors jointly in the plane.

    All are L2-normalised first: only the direction of an anchor has to do with the points. A zero vector
    stays where it is.

    Args:
        z: (N, d) embeddings, N ≥ 3 and d ≥ 2.
        anchors: (2, d) negative and positive anchor, from the loss plug-in's ``anchors``.
        perplexity: lowered to (N + 1) / 3 with a warning where the cohort is too small for it.
        iterations: at least 250.
        seed: of scikit-learn's ``random_state``.

    Returns:
        (N, 2) and (2, 2) float32 coordinates, without unit, and the perplexity used.

    Raises:
        UserError: shapes do not fit, too few points, a number that is not finite, or too few iterations.
    """
    joint = _checked(z, anchors)
    if iterations < 250 or perplexity <= 0:
        raise UserError(
            f"t-SNE needs iterations >= 250 and perplexity > 0; got {iterations} and {perplexity}."
        )
    used = min(float(perplexity), (len(joint) - 1) / 3)
    if used < perplexity:
        print(
            f"Warning: t-SNE perplexity {perplexity} lowered to {used:.4g} for {len(joint) - 2} points.",
            file=sys.stderr,
        )
    norms = np.linalg.norm(joint, axis=1, keepdims=True)
    model = TSNE(
        n_components=2,
        perplexity=used,
        max_iter=iterations,
        init="pca",
        learning_rate=LEARNING_RATE,
        random_state=seed,
    )
    # Threads sum in any order, and the picture would differ; one is also the fastest on a shared machine.
    with threadpool_limits(1):
        coords = model.fit_transform(joint / np.where(norms > 0, norms, 1))
    return coords[:-2], coords[-2:], used


def _checked(z: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Return points and anchors below each other, (N + 2, d) float64, or refuse them."""
    z, anchors = np.asarray(z, dtype=np.float64), np.asarray(anchors, dtype=np.float64)
    if z.ndim != 2 or anchors.shape != (2, z.shape[-1]) or len(z) < 3 or z.shape[1] < 2:
        raise UserError(
            f"t-SNE needs embeddings (N, d) with N >= 3 and d >= 2 and anchors (2, d); got {z.shape} and "
            f"{anchors.shape}."
        )
    joint = np.concatenate([z, anchors])
    if bad := int((~np.isfinite(joint)).any(axis=1).sum()):
        raise UserError(f"t-SNE: {bad} of {len(joint)} vectors hold a number that is not finite.")
    return joint
