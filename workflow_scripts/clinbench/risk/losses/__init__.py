"""Losses: one file a kind, and `SupervisedContrastiveLoss` that adds λ·SCR to any of them.

A kind is a module with ``OPTIONS``, ``OUTPUTS`` (logits a label, 1 or 2) and the functions
``classification_loss(logits, embeddings, labels, **options)``, ``probability(logits, proba)`` and
``anchors(weight)``. The suite itself imports from the files, so that a change of one loss retrains
that loss only (see ``clinbench.digest``); the names here are for everyone else.
"""

from clinbench.risk.losses.bce import bce
from clinbench.risk.losses.cbce import cbce
from clinbench.risk.losses.csce import csce
from clinbench.risk.losses.scr import scr
from clinbench.risk.losses.supervised import SupervisedContrastiveLoss

__all__ = ["SupervisedContrastiveLoss", "bce", "cbce", "csce", "scr"]
