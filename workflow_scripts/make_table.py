"""Rules risk_table, phenotypes and coding_table: metrics files to one table as LaTeX, Markdown and long CSV."""

import json

from clinbench.files import read_json
from clinbench.reporting.layouts import LAYOUTS
from clinbench.reporting.studies import phenotypes
from clinbench.reporting.table import build
from snakejob import job
from tablejob import seeds_of, write_table

with job(snakemake) as run:
    records = [{**read_json(file), "origin": file} for file in snakemake.input.metrics]
    absent = json.loads(snakemake.params.absent)
    if absent:
        records.append({"absent": absent, "origin": "config"})
    systems = [row["system"] for record in records for row in record.get("rows", [])]
    name = snakemake.params.layout
    paired = [read_json(file) for file in snakemake.input.get("paired", [])]
    table = build(records, phenotypes(systems) if name == "phenotypes" else LAYOUTS[name], paired)
    provenance = [record for file in records for record in file.get("provenance", [])]
    write_table(run, snakemake, table, provenance, snakemake.input.metrics, seed=seeds_of(provenance))
