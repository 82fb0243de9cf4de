"""The oracle of the binary metrics: scikit-learn, with sample weights."""

import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score


@pytest.fixture
def sklearn_metrics():
    return score


def score(y, p, w=None):
    precision, recall, _ = precision_recall_curve(y, p, sample_weight=w)
    return {
        "auroc": roc_auc_score(y, p, sample_weight=w),
        "average_precision": average_precision_score(y, p, sample_weight=w),
        "auprc": auc(recall, precision),
        "minpse": max(np.minimum(precision, recall)),
        "accuracy": np.average((np.asarray(p) > 0.5) == y, weights=w),
    }
