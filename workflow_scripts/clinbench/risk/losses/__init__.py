"""Losses: one file a kind, and `SupervisedContrastiveLoss` that adds λ·SCR to any of them.

A kind is a module with ``OPTIONS``, ``OUTPUTS`` (logits a label, 1 or 2) and the functions
``classification_loss(logits, embeddings, labels, **options)``, ``probability(logits, proba)`` and
``anchors(weight)``.
"""
