"""Metrics, their bootstrap and the long rows that carry both.

``binary`` and ``multilabel`` score predictions, ``ranking`` scores ranked
codes; ``bootstrap`` resamples any of them over patients or documents, with
``kernels`` for speed; ``records`` writes the rows of a metrics file.
"""
