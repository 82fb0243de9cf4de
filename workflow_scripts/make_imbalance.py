"""Rule imbalance: metrics by share of training positives to a table and a figure."""

import json

from clinbench.files import read_json, write_text
from clinbench.reporting.prevalence import plot_imbalance
from clinbench.reporting.studies import imbalance
from clinbench.reporting.table import build
from snakejob import job

with job(snakemake) as run:
    levels = json.loads(snakemake.params.levels)
    records = [{**read_json(file), "origin": file} for file in snakemake.input.metrics]
    table = build(records, imbalance(levels))
    write_text(snakemake.output.tex, table.to_latex())
    write_text(snakemake.output.md, table.to_markdown())
    write_text(snakemake.output.csv, table.to_csv())
    plot_imbalance(records, snakemake.output.pdf, snakemake.output.png)
    provenance = [item for record in records for item in record["provenance"]]
    run.write_record(
        data_fingerprint=[item["data_fingerprint"] for item in provenance],
        n=sorted({item["n"] for item in provenance}, key=str),
        selection=", ".join(sorted({item["selection"] for item in provenance})),
        seed=sorted({item["seed"] for item in provenance}),
        made_of=list(snakemake.input.metrics),
    )
