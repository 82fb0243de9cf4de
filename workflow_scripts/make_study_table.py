"""Rule study_table: run records to a table of data, chosen settings or running times."""

from clinbench.files import read_json
from clinbench.reporting import data_tables, run_tables, study_rows
from snakejob import job
from tablejob import write_table

TABLES = {
    "cohort_statistics": (data_tables.cohort_statistics, study_rows.cohort_rows),
    "stay_lengths": (data_tables.stay_lengths, study_rows.length_rows),
    "selected_settings": (run_tables.selected_settings, study_rows.setting_rows),
    "running_time": (run_tables.running_time, study_rows.time_rows),
}

with job(snakemake) as run:
    build, rows_of = TABLES[snakemake.wildcards.study]
    records = [{**run.shared(read_json(file), file), "origin": file} for file in snakemake.input.records]
    table = build([row for record in records for row in rows_of(record)], {}, records)
    write_table(run, snakemake, table, records, snakemake.input.records)
