"""Rule audit_search: every training of a search scored on the test stays, after selection and apart from it."""

import json

from safetensors.torch import load_file

from clinbench.cohorts.tensors import Cohort
from clinbench.files import named_parts, read_json
from clinbench.risk.audit import audit
from snakejob import job

with job(snakemake) as run:
    cohort = Cohort.load(snakemake.input.cohort)
    applied = json.loads(snakemake.params.applied)
    how = applied["model"], applied["loss"], applied["preset"], run.use_torch()
    sizes = [int(named_parts(file)["batch"]) for file in snakemake.input.histories]
    histories = dict(zip(sizes, map(read_json, snakemake.input.histories), strict=True))
    weights = dict(zip(sizes, map(load_file, snakemake.input.weights), strict=True))
    run.write_record(
        data_fingerprint=cohort.fingerprint(),
        n=int((cohort.split == "test").sum()),
        selection=applied["selected_by"],
        task=applied["task"],
        audit=audit(cohort, applied["task"], histories, weights, how),
    )
