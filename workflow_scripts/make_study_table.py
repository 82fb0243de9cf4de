"""Rule study_table: run records to a table of data, chosen settings or running times."""

from clinbench.files import read_json
from clinbench.reporting import data_tables, leak_table, learning_table, run_tables, study_rows
from sharing import shared
from snakejob import job
from tablejob import write_table

TABLES = {
    "cohort_statistics": (data_tables.cohort_statistics, study_rows.cohort_rows),
    "stay_lengths": (data_tables.stay_lengths, study_rows.length_rows),
    "selected_settings": (run_tables.selected_settings, study_rows.setting_rows),
    "running_time": (run_tables.running_time, study_rows.time_rows),
    "selection_leak": (leak_table.selection_leak, study_rows.search_rows),
    "learning_curves": (learning_table.learning_curves, study_rows.search_rows),
}

with job(snakemake) as run:
    build, rows_of = TABLES[snakemake.wildcards.study]
    records = [
        {**shared(snakemake, read_json(file), file), "origin": file} for file in snakemake.input.records
    ]
    table = build([row for record in records for row in rows_of(record)], {}, records)
    write_table(run, snakemake, table, records, snakemake.input.records)
