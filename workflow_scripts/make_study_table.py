"""Rule study_table: run records to a table of data, chosen settings or running times."""

from clinbench.files import read_json, write_text
from clinbench.reporting import data_tables, run_tables, study_rows
from snakejob import job

TABLES = {
    "cohort_statistics": (data_tables.cohort_statistics, study_rows.cohort_rows),
    "stay_lengths": (data_tables.stay_lengths, study_rows.length_rows),
    "selected_settings": (run_tables.selected_settings, study_rows.setting_rows),
    "running_time": (run_tables.running_time, study_rows.time_rows),
}

with job(snakemake) as run:
    build, rows_of = TABLES[snakemake.wildcards.study]
    records = [run.shared(read_json(file), file) for file in snakemake.input.records]
    table = build([row for record in records for row in rows_of(record)], {}, records)
    write_text(snakemake.output.tex, table.to_latex())
    write_text(snakemake.output.md, table.to_markdown())
    write_text(snakemake.output.csv, table.to_csv())
    run.write_record(
        data_fingerprint=[record["data_fingerprint"] for record in records],
        n=sorted({record["n"] for record in records}, key=str),
        selection=", ".join(sorted({record["selection"] for record in records})),
        made_of=list(snakemake.input.records),
    )
