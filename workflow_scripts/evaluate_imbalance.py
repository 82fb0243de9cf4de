"""Rule evaluate_imbalance: a row trained on every draw of one share of positives, on the test stays."""

import json

from clinbench.cohorts.tensors import Cohort
from clinbench.files import named_parts, read_json, write_json
from clinbench.risk.thinned import TrainedJob, imbalance_record
from snakejob import job

with job(snakemake) as run:
    names = snakemake.wildcards
    cohort = Cohort.load(snakemake.input.cohort)
    applied = json.loads(snakemake.params.applied)
    how = applied["model"], applied["loss"], applied["preset"], run.use_torch()
    jobs = []
    for history, weights in zip(snakemake.input.histories, snakemake.input.weights, strict=True):
        at = named_parts(history)
        jobs.append(
            TrainedJob(int(at["draw"]), int(at["seed"]), int(at["batch"]), read_json(history), weights)
        )
    columns = {
        "track": "risk",
        "task": "mortality",
        "dataset": names.cohort,
        "model": names.model,
        "system": names.row,
        "selection": applied["selected_by"],
    }
    record = imbalance_record(cohort, names.level, jobs, how, columns, json.loads(snakemake.params.draws))
    record["provenance"] = [read_json(file) for file in snakemake.input.runs]
    write_json(snakemake.output.metrics, run.shared(record))
    run.write_record(
        data_fingerprint=cohort.fingerprint(),
        n=int((cohort.split == "test").sum()),
        selection=applied["selected_by"],
    )
