"""Made-up metrics records for the tests of tables."""

import pytest

from clinbench.provenance import REQUIRED

DATA = {"stays": 500, "sha256": "0" * 64}
RUN = dict.fromkeys(REQUIRED, 0) | {
    "git_commit": "0123456789abcdef",
    "git_dirty": False,
    "data_fingerprint": DATA,
}
RISK_METRICS = ("auroc", "average_precision", "auprc", "minpse", "accuracy")
CODING_METRICS = ("precision", "recall", "f1", "map10", "mrr")
LEVELS = ("exact", "category", "chapter")
FACTS = {"resampled": "patients", "std_draws": 100, "interval_draws": 1000, "search_budget": 6}


def row(**changes) -> dict:
    """Make one long row."""
    base = {
        "track": "risk", "task": "mortality", "dataset": "cohort_a", "model": "mortality_lstm",
        "system": "bce", "level": "", "subset": "all", "metric": "auroc", "value": 0.8537, "std": 0.0101,
        "ci_low": 0.8336,
        "ci_high": 0.8744, "n": 500, "n_valid": 1000, "seeds": 3, "selection": "validation AUROC",
        "published": None, "comparable": "",
    }  # fmt: skip
    return base | changes


@pytest.fixture
def make_row():
    return row


@pytest.fixture
def risk_record():
    """Return a function that makes the record of one loss on one cohort."""

    def make(system="bce", dataset="cohort_a", n=500, facts=None, **changes) -> dict:
        given = {"title": f"Cohort {dataset}", "synthetic": False, "positives": 60} | FACTS | (facts or {})
        rows = [row(system=system, dataset=dataset, n=n, metric=name, **changes) for name in RISK_METRICS]
        return {"rows": rows, "provenance": [RUN], "facts": given}

    return make


@pytest.fixture
def coding_record():
    """Return a function that makes the record of one retrieval system on one benchmark."""

    def make(system="bm25", model="", dataset="terms", n=900, facts=None, **changes) -> dict:
        given = {"title": "Terms", "synthetic": False, "pool": 8123} | FACTS | (facts or {})
        where = {"track": "coding", "task": "retrieval", "dataset": dataset, "model": model, "system": system}
        rows = [
            row(**where, level=level, metric=metric, n=n, **changes)
            for level in LEVELS
            for metric in CODING_METRICS
        ]
        return {"rows": rows, "provenance": [RUN], "facts": given}

    return make
