"""Rule chapters_figure: metrics files of one benchmark to the figure of chapters."""

from clinbench.files import read_json
from clinbench.reporting.chapters import plot_chapters
from snakejob import job

with job(snakemake) as run:
    records = [read_json(file) for file in snakemake.input.metrics]
    plot_chapters(records, snakemake.output.pdf, snakemake.output.png)
    provenance = [item for record in records for item in record["provenance"]]
    run.write_record(
        data_fingerprint=[item["data_fingerprint"] for item in provenance],
        n=sorted({item["n"] for item in provenance}),
        selection=", ".join(sorted({item["selection"] for item in provenance})),
        made_of=list(snakemake.input.metrics),
    )
