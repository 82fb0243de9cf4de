"""Rules risk_table, phenotypes and coding_table: metrics files to one table as LaTeX, Markdown and long CSV."""

import json

from clinbench.files import read_json, write_text
from clinbench.reporting.layouts import LAYOUTS
from clinbench.reporting.studies import phenotypes
from clinbench.reporting.table import build
from snakejob import job

with job(snakemake) as run:
    records = [{**read_json(file), "origin": file} for file in snakemake.input.metrics]
    absent = json.loads(snakemake.params.absent)
    if absent:
        records.append({"absent": absent, "origin": "config"})
    systems = [row["system"] for record in records for row in record.get("rows", [])]
    name = snakemake.params.layout
    table = build(records, phenotypes(systems) if name == "phenotypes" else LAYOUTS[name])
    write_text(snakemake.output.tex, table.to_latex())
    write_text(snakemake.output.md, table.to_markdown())
    write_text(snakemake.output.csv, table.to_csv())
    provenance = [record for file in records for record in file.get("provenance", [])]
    run.write_record(
        data_fingerprint=[record["data_fingerprint"] for record in provenance],
        n=sorted({record["n"] for record in provenance}, key=str),
        selection=", ".join(sorted({record["selection"] for record in provenance})),
        seed=sorted({record["seed"] for record in provenance}),
        made_of=list(snakemake.input.metrics),
    )
