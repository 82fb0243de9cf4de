"""Rule evaluate_risk: metrics of a row on the test stays, all seeds together, with intervals."""

import json

import numpy as np

from clinbench import plugins
from clinbench.cohorts.tensors import Cohort
from clinbench.evaluation.records import binary_rows
from clinbench.files import read_json, write_json
from clinbench.risk.predictions import read_predictions, same_stays
from snakejob import job

with job(snakemake) as run:
    names, draws = snakemake.wildcards, json.loads(snakemake.params.draws)
    test = Cohort.load(snakemake.input.cohort).select("test")
    order = np.argsort(test.stays, kind="stable")
    frames = [read_predictions(file) for file in snakemake.input.predictions]
    for file, frame in zip(snakemake.input.predictions, frames, strict=True):
        same_stays(frame, test, file)
    provenance = [read_json(file) for file in snakemake.input.runs]
    rows = binary_rows(
        test.labels[order],
        np.stack([frame["prediction"].to_numpy() for frame in frames]),
        test.patients[order],
        columns={
            "track": "risk",
            "task": snakemake.params.task,
            "dataset": names.cohort,
            "model": names.model,
            "system": names.row,
            "selection": provenance[0]["selection"],
        },
        draws=draws["interval_draws"],
        std_draws=draws["std_draws"],
    )
    facts = {
        "title": plugins.declared("cohorts", names.cohort, "TITLE"),
        "synthetic": plugins.declared("cohorts", names.cohort, "SYNTHETIC"),
        "positives": int(test.labels.sum()),
        "resampled": "patients",
        "search_budget": provenance[0]["trainings"],
        **draws,
    }
    write_json(snakemake.output.metrics, {"rows": rows, "provenance": provenance, "facts": facts})
    run.write_record(data_fingerprint=test.fingerprint(), n=len(test), selection=provenance[0]["selection"])
