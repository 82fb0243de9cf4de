"""Models: one file a kind, with ``OPTIONS``, ``TASKS`` and ``build(features, labels, outputs, **options)``.

A model maps padded series (N, T, F) and lengths (N,) to logits and embeddings (N, d); its last layer is
a ``Head`` named ``head``.
"""
