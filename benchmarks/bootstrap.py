"""Bootstrap of 25 labels and micro over 6,281 stays against scikit-learn, resample by resample."""

import numpy as np
from ratios import compare
from sklearn.metrics import roc_auc_score

from clinbench.evaluation.bootstrap import bootstrap_multilabel, draw_weights

STAYS, LABELS, DRAWS, SHOWN = 6281, 25, 100, 3


def reference(y: np.ndarray, p: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Micro AUROC of each draw, with the macro labels computed beside it."""
    micro = []
    for weight in weights:
        for label in range(LABELS):
            roc_auc_score(y[:, label], p[:, label], sample_weight=weight)
        micro.append(roc_auc_score(y.ravel(), p.ravel(), sample_weight=np.repeat(weight, LABELS)))
    return np.array(micro)


if __name__ == "__main__":
    random = np.random.default_rng(0)
    y = (random.random((STAYS, LABELS)) < 0.165).astype(float)
    p = random.random((STAYS, LABELS)) + 0.3 * y
    weights = draw_weights(STAYS, DRAWS, seed=0)
    ours = bootstrap_multilabel(y, p[None], np.arange(STAYS), weights)["micro_auroc"]
    assert np.allclose(ours[:SHOWN], reference(y, p, weights[:SHOWN]), atol=1e-12)
    compare(
        f"bootstrap of {DRAWS} × {STAYS} × {LABELS} labels and micro",
        lambda: bootstrap_multilabel(y, p[None], np.arange(STAYS), weights),
        lambda: reference(y, p, weights[:SHOWN]),
        repeats=3,
        share=SHOWN / DRAWS,
    )
