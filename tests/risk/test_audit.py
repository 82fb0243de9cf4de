"""The audit scores every training of a search after the fact; what is chosen never depends on it."""

import numpy as np
import pytest
from tests.risk.test_train import MODEL, RECIPE, toy_cohort

from clinbench.evaluation.binary import binary_metrics
from clinbench.risk.audit import audit
from clinbench.risk.search import Setting, choose
from clinbench.risk.selected import apply
from clinbench.risk.settings import train_settings
from clinbench.risk.tasks import Selection

LOSS = {"kind": "cbce", "temperature": 0.1}
HOW = (MODEL, LOSS, "clean", "cpu")
SETTINGS = [Setting(0.0, 0), Setting(0.1, 0), Setting(0.0, 1)]


def trained(state, cohort):
    selection = Selection("mortality", "auroc")
    kept = {"preset": "clean", "seed_parts": ("toy", 16, 0), "device": "cpu", "state": state}
    records, weights = train_settings(cohort, MODEL, LOSS, SETTINGS, RECIPE, selection, **kept)
    return {16: records}, {16: weights}


@pytest.fixture(scope="module")
def cohort():
    return toy_cohort(n=120)


@pytest.fixture(scope="module")
def search(tmp_path_factory, cohort):
    return trained(tmp_path_factory.mktemp("state"), cohort)


def test_every_training_is_scored_at_the_epoch_it_kept(cohort, search):
    histories, weights = search
    found = audit(cohort, "mortality", histories, weights, HOW)
    assert [(one["scr_weight"], one["init"]) for one in found] == [(0.0, 0), (0.1, 0), (0.0, 1)]
    for index, (one, record) in enumerate(zip(found, histories[16], strict=True)):
        assert one["val"]["auroc"] == pytest.approx(record["score"])
        assert one["epochs"][one["epoch"] - 1] == record["score"] and len(one["epochs"]) == 4
        applied = apply(cohort, {**record, "index": index}, weights[16], *HOW)
        theirs = binary_metrics(applied.labels, applied.probabilities)
        assert one["test"] == {key: theirs[key] for key in ("auroc", "average_precision")}


def test_other_test_stays_change_the_audit_and_nothing_that_is_chosen(tmp_path, cohort, search):
    histories, weights = search
    turned = toy_cohort(n=120)
    turned.labels[turned.split == "test"] = 1 - turned.labels[turned.split == "test"]
    theirs, their_weights = trained(tmp_path, turned)
    assert theirs == histories and choose(theirs) == choose(histories)
    ours, others = (
        audit(cohort, "mortality", *search, HOW),
        audit(turned, "mortality", theirs, their_weights, HOW),
    )
    for one, other in zip(ours, others, strict=True):
        assert other["val"] == one["val"]
        assert other["test"]["auroc"] == pytest.approx(1 - one["test"]["auroc"])


def test_the_choice_does_not_look_at_test_scores(search):
    histories, _ = search
    best = choose(histories)
    for index in range(len(SETTINGS)):
        planted = [
            record | {"test": {"auroc": float(at == index)}} for at, record in enumerate(histories[16])
        ]
        assert choose({16: planted}) == best


def test_one_outcome_among_the_test_stays_is_undefined_not_zero(cohort, search):
    alike = toy_cohort(n=120)
    alike.labels[alike.split == "test"] = 0
    found = audit(alike, "mortality", *search, HOW)
    assert {score for one in found for score in one["test"].values()} == {None}
    assert np.isfinite([one["val"]["auroc"] for one in found]).all()
