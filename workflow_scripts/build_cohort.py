"""Rule build_cohort: raw data of a cohort to the tensors of one task."""

import json
from pathlib import Path

from clinbench import plugins
from clinbench.cohorts.statistics import cohort_statistics
from snakejob import job

with job(snakemake) as run:
    plugin = plugins.load("cohorts", snakemake.wildcards.cohort)
    data = dict(zip(snakemake.params.sources, map(Path, snakemake.input.data), strict=True))
    generated = Path(snakemake.input.generated[0]) if snakemake.input.generated else None
    cohort = plugin.load(data, json.loads(snakemake.params.options), generated, snakemake.wildcards.task)
    if check := getattr(plugin, "check_access", None):
        check(len(set(cohort.patients.tolist())), snakemake.wildcards.access == "open")
    print(json.dumps(cohort.info, indent=2))
    cohort.save(snakemake.output.cohort)
    run.write_record(
        data_fingerprint=cohort.fingerprint(),
        n=len(cohort),
        info=cohort.info,
        statistics=cohort_statistics(cohort),
    )
