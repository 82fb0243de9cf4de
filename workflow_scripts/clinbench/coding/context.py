"""What a retrieval system is given beside queries and codes table."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.coding.runs import Rankings


@dataclass
class Context:
    """Models, precomputed inputs and the machine a system may use; None where not asked for.

    Attributes:
        encoder: folder of the sentence encoder.
        model: folder of the system's own trained model.
        first_stage_model: folder of the first stage's trained model.
        first_stage: the first stage's rankings, aligned with the queries.
        mentions: annotated mentions, a queries frame; their codes are in the table.
        examples: data set A, records of coding.md section 1.1.
        runs: rankings of other systems by their names, aligned with the queries.
        embeddings: (first rows of the codes table, dimension) float32, L2-normalised.
        device: ``cpu`` or ``cuda``.
        precision: ``fp32`` or ``bf16``, in which networks are trained; inference finds it set by its caller.
        seed: of everything random in the system.
        state: folder where a training keeps what it takes to go on after an interruption.
    """

    encoder: Path | None = None
    model: Path | None = None
    first_stage_model: Path | None = None
    first_stage: Rankings | None = None
    mentions: pl.DataFrame | None = None
    examples: list[dict] | None = None
    runs: dict[str, Rankings] | None = None
    embeddings: np.ndarray | None = None
    device: str = "cpu"
    precision: str = "fp32"
    seed: int = 0
    state: Path | None = None
