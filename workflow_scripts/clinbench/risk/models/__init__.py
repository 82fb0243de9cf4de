"""Models: one file a kind, with ``OPTIONS``, ``TASKS`` and ``build(features, statics, labels, outputs, **options)``.

A model maps padded series (N, T, F), lengths (N,) and statics (N, S) to an ``Output`` of logits, embeddings
(N, d) and a penalty; its last layer is a ``Head`` named ``head``. The suite itself imports from the files, so that
a change of one model retrains that model only; the names here are for everyone else.
"""

from clinbench.risk.models.concare import ConCare
from clinbench.risk.models.mortality_lstm import MortalityLSTM
from clinbench.risk.models.phenotyping_lstm import PhenotypingLSTM

__all__ = ["ConCare", "MortalityLSTM", "PhenotypingLSTM"]
