"""clinbench: a benchmark suite for clinical representation learning.

The library knows arrays, frames and models; it never knows where a workflow
keeps its results. Sub-packages: ``cohorts`` (raw data to tensors), ``risk``
(losses, models, training), ``coding`` (codes, corpora, retrieval),
``evaluation`` (metrics, bootstrap) and ``reporting`` (tables, figures).
"""

from clinbench.runtime import adopt_threads

__version__ = "0.1.0"

adopt_threads()  # before any module of ours imports a library that asks once
