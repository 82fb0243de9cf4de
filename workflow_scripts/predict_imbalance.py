"""Rule predict_imbalance: a row trained on every draw of one share of positives, applied to the test stays."""

import json

from clinbench.cohorts.tensors import Cohort
from clinbench.files import named_parts, read_json
from clinbench.risk.thinned import TrainedJob, searched, thinned_predictions, write_thinned
from snakejob import job

with job(snakemake) as run:
    cohort = Cohort.load(snakemake.input.cohort)
    applied = json.loads(snakemake.params.applied)
    how = applied["model"], applied["loss"], applied["preset"], run.use_torch()
    jobs = []
    for history, weights in zip(snakemake.input.histories, snakemake.input.weights, strict=True):
        at = named_parts(history)
        jobs.append(
            TrainedJob(int(at["draw"]), int(at["seed"]), int(at["batch"]), read_json(history), weights)
        )
    test = cohort.select("test")
    predicted = thinned_predictions(cohort, snakemake.wildcards.level, jobs, how)
    write_thinned(snakemake.output.predictions, test.stays, predicted)
    run.write_record(
        data_fingerprint=cohort.fingerprint(),
        n=len(test),
        selection=applied["selected_by"],
        task="mortality",
        trainings=searched(jobs),
    )
