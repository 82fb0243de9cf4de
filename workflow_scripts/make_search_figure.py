"""Rules selection_leak_figure and learning_curves_figure: the audited trainings of a table as a figure."""

from clinbench.files import read_json
from clinbench.reporting.leak_figure import plot_selection_leak
from clinbench.reporting.learning_figure import plot_learning_curves
from clinbench.reporting.study_rows import search_rows
from sharing import shared
from snakejob import job
from tablejob import seeds_of

PLOTS = {"selection_leak_figure": plot_selection_leak, "learning_curves_figure": plot_learning_curves}

with job(snakemake) as run:
    records = [shared(snakemake, read_json(file), file) for file in snakemake.input.audits]
    rows = [row for record in records for row in search_rows(record)]
    PLOTS[snakemake.rule](rows, snakemake.output.pdf, snakemake.output.png)
    run.write_record(
        data_fingerprint=list(
            {record["wildcards"]["cohort"]: record["data_fingerprint"] for record in records}.values()
        ),
        n={row["dataset"]: row["n"] for row in rows},
        selection=", ".join(sorted({record["selection"] for record in records})),
        seed=seeds_of(records),
        made_of=list(snakemake.input.audits),
    )
