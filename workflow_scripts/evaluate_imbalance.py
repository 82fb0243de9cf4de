"""Rule evaluate_imbalance: metrics of a row trained on every draw of one share of positives, with intervals."""

import json

from clinbench.cohorts.tensors import Cohort
from clinbench.files import read_json, write_json
from clinbench.risk.thinned import imbalance_record, read_thinned
from sharing import shared
from snakejob import job

with job(snakemake) as run:
    names = snakemake.wildcards
    cohort, made = Cohort.load(snakemake.input.cohort), read_json(snakemake.input.made)
    test = cohort.select("test")
    columns = {
        "track": "risk",
        "task": "mortality",
        "dataset": names.cohort,
        "model": names.model,
        "system": names.row,
        "selection": made["selection"],
    }
    p, draws = read_thinned(snakemake.input.predictions, test), json.loads(snakemake.params.draws)
    record = imbalance_record(cohort, names.level, p, made["trainings"], columns, draws)
    record["provenance"] = [read_json(file) for file in snakemake.input.runs]
    write_json(snakemake.output.metrics, shared(snakemake, record))
    run.write_record(data_fingerprint=cohort.fingerprint(), n=len(test), selection=made["selection"])
