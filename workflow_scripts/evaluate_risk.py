"""Rule evaluate_risk: metrics of a row on the test stays, all seeds together, with intervals."""

import json

import numpy as np

from clinbench.cohorts.tensors import Cohort
from clinbench.files import read_json, write_json
from clinbench.risk.predictions import read_probabilities
from clinbench.risk.scored import facts, metric_rows
from sharing import shared
from snakejob import job

with job(snakemake) as run:
    names, draws = snakemake.wildcards, json.loads(snakemake.params.draws)
    test = Cohort.load(snakemake.input.cohort).select("test")
    provenance = [read_json(file) for file in snakemake.input.runs]
    columns = {
        "track": "risk",
        "task": snakemake.params.task,
        "dataset": names.cohort,
        "model": names.model,
        "system": names.row,
        "selection": provenance[0]["selection"],
    }
    p = np.stack([read_probabilities(file, test) for file in snakemake.input.predictions])
    record = {
        "rows": metric_rows(test, p, columns, draws),
        "provenance": provenance,
        "facts": facts(test, p, provenance[0]["trainings"], draws),
    }
    write_json(snakemake.output.metrics, shared(snakemake, record))
    run.write_record(data_fingerprint=test.fingerprint(), n=len(test), selection=columns["selection"])
