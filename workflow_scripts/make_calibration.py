"""Rule calibration_figure: predicted against observed share of positives, a panel for each row."""

from clinbench.reporting.reliability import plot_reliability
from snakejob import job
from tablejob import read_records, seeds_of

with job(snakemake) as run:
    records = [record for file in snakemake.input.metrics for record in read_records(file)]
    plot_reliability(records, snakemake.output.pdf, snakemake.output.png)
    runs = [one for record in records for one in record["provenance"]]
    run.write_record(
        data_fingerprint=[one["data_fingerprint"] for one in runs],
        n=sorted({one["n"] for one in runs}, key=str),
        selection=", ".join(sorted({one["selection"] for one in runs})),
        made_of=list(snakemake.input.metrics),
        seed=seeds_of(runs),
    )
