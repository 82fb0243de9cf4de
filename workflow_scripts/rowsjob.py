"""What the rules that score all rows of a table's block share: their predictions and records."""

import json
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from clinbench.cohorts.tensors import Cohort
from clinbench.files import read_json
from clinbench.risk.predictions import read_probabilities
from clinbench.risk.scored import facts


class ScoredRow(NamedTuple):
    """One row: (S, N) or (S, N, C) probabilities of S seeds, what its records share, and a caveat or ""."""

    p: np.ndarray
    columns: dict
    provenance: list[dict]
    facts: dict
    caveat: str


def scored_rows(snakemake, test: Cohort, draws: dict) -> Iterator[ScoredRow]:
    """Yield the rows of a table's block, in the order of the rule's ``rows`` parameter.

    Args:
        snakemake: with the inputs ``predictions`` and ``runs`` of all seeds of all rows, row by row.
        test: the test stays.
        draws: of the bootstrap, as configured.
    """
    names, start = snakemake.wildcards, 0
    for row in json.loads(snakemake.params.rows):
        here = slice(start, start + row["seeds"])
        start += row["seeds"]
        p = np.stack([read_probabilities(file, test) for file in snakemake.input.predictions[here]])
        provenance = [read_json(file) for file in snakemake.input.runs[here]]
        columns = {
            "track": "risk",
            "task": snakemake.params.task,
            "dataset": names.cohort,
            "model": names.model,
            "system": row["name"],
            "selection": provenance[0]["selection"],
        }
        told = facts(test, p, provenance[0]["trainings"], draws)
        yield ScoredRow(p, columns, provenance, told, row["caveat"])
