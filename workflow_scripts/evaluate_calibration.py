"""Rule evaluate_calibration: how far the probabilities of each row can be taken at their word."""

import json

from clinbench.cohorts.tensors import Cohort
from clinbench.evaluation.calibration import calibration_rows
from clinbench.files import write_json
from clinbench.risk.scored import bootstrap_options
from rowsjob import scored_rows
from sharing import shared
from snakejob import job

with job(snakemake) as run:
    draws, bins = json.loads(snakemake.params.draws), snakemake.params.bins
    test = Cohort.load(snakemake.input.cohort).select("test")
    records = []
    for row in scored_rows(snakemake, test, draws):
        rows, curve = calibration_rows(
            test.labels, row.p, test.patients, columns=row.columns, bins=bins, **bootstrap_options(draws)
        )
        told = row.facts | {"bins": bins, "caveat": row.caveat}
        records.append({"rows": rows, "provenance": row.provenance, "facts": told, "bins": curve})
    write_json(snakemake.output.metrics, shared(snakemake, {"records": records}))
    selections = sorted({record["rows"][0]["selection"] for record in records})
    run.write_record(data_fingerprint=test.fingerprint(), n=len(test), selection=", ".join(selections))
