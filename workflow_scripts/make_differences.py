"""Rule differences: the comparisons of each block to a table of differences from a reference row."""

from clinbench.files import read_json
from clinbench.reporting.differences import difference_rows, differences
from snakejob import job
from tablejob import write_table

with job(snakemake) as run:
    inputs, reference = snakemake.input, snakemake.params.reference
    rows = [row for file in inputs.paired for row in difference_rows(read_json(file), reference)]
    runs = [read_json(file) for file in inputs.runs]
    write_table(run, snakemake, differences(rows, {}, runs), runs, inputs.paired)
