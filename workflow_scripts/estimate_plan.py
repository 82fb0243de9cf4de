"""Rule estimate: what the configured plan takes, before it is run."""

from pathlib import Path

from clinbench.estimates import as_csv, as_markdown, summed
from clinbench.files import write_text
from clinbench.runtime import usable_threads
from planning.estimate import RESULTS, measured, planned
from snakejob import job

with job(snakemake) as run:
    cores = usable_threads(10**6)
    plan = planned(Path(snakemake.params.snakefile), snakemake.config, cores, frozenset({"all"}))
    rows = summed(plan, measured(snakemake.config))
    write_text(RESULTS / "estimate.csv", as_csv(rows))
    write_text(RESULTS / "estimate.md", as_markdown(rows, cores))
    run.tell(as_markdown(rows, cores))
