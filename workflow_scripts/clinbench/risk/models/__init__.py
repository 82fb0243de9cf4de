"""Models: one file a kind, with ``OPTIONS``, ``TASKS`` and ``build(features, statics, labels, outputs, **options)``.

A model maps padded series (N, T, F), lengths (N,) and statics (N, S) to an ``Output`` of logits, embeddings
(N, d) and a penalty; its last layer is a ``Head`` named ``head``.
"""
