"""Rule imbalance: metrics by share of training positives to a table and a figure."""

import json

from clinbench.files import read_json
from clinbench.reporting.prevalence import plot_imbalance
from clinbench.reporting.studies import imbalance
from clinbench.reporting.table import build
from snakejob import job
from tablejob import read_paired, seeds_of, write_table

with job(snakemake) as run:
    levels = json.loads(snakemake.params.levels)
    records = [{**read_json(file), "origin": file} for file in snakemake.input.metrics]
    table = build(records, imbalance(levels), read_paired(snakemake))
    plot_imbalance(records, snakemake.output.pdf, snakemake.output.png)
    provenance = [item for record in records for item in record["provenance"]]
    write_table(run, snakemake, table, provenance, snakemake.input.metrics, seed=seeds_of(provenance))
