"""Rule prepare_cohort: a cohort's raw tables to typed files, once for all of its tasks."""

import json
from pathlib import Path

from clinbench import plugins
from clinbench.digest import value_digest
from clinbench.files import atomic_folder
from snakejob import job

with job(snakemake) as run:
    plugin = plugins.load("cohorts", snakemake.wildcards.cohort)
    data = dict(zip(snakemake.params.sources, map(Path, snakemake.input.data), strict=True))
    options, is_open = json.loads(snakemake.params.options), snakemake.wildcards.access == "open"
    with atomic_folder(snakemake.output.folder, durable=False) as folder:
        summary = plugin.prepare_cohort(data, options, Path(folder), is_open)
    print(json.dumps(summary, indent=2))
    run.write_record(data_fingerprint=value_digest(summary), n=summary["sizes"], summary=summary)
