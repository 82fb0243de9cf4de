"""Rules of tables of metrics: metrics files to one table as LaTeX, Markdown and long CSV."""

import json

from clinbench.reporting.studies import layout_named
from clinbench.reporting.table import build
from snakejob import job
from tablejob import read_paired, read_records, seeds_of, write_table

with job(snakemake) as run:
    records = [record for file in snakemake.input.metrics for record in read_records(file)]
    absent = json.loads(snakemake.params.absent)
    if absent:
        records.append({"absent": absent, "origin": "config"})
    table = build(records, layout_named(snakemake.params.layout, records), read_paired(snakemake))
    provenance = [record for file in records for record in file.get("provenance", [])]
    write_table(run, snakemake, table, provenance, snakemake.input.metrics, seed=seeds_of(provenance))
