"""What the rules that make a table share: its three files and its run record."""

from clinbench.files import read_json, write_text
from clinbench.provenance import check
from clinbench.reporting.table import Table
from snakejob import Job


def write_table(
    run: Job, snakemake, table: Table, runs: list[dict], made_of: list[str], **more: object
) -> None:
    """Write a table as LaTeX, Markdown and CSV, and the record of the runs behind it."""
    write_text(snakemake.output.tex, table.to_latex())
    write_text(snakemake.output.md, table.to_markdown())
    write_text(snakemake.output.csv, table.to_csv())
    run.write_record(
        data_fingerprint=[one["data_fingerprint"] for one in runs],
        n=sorted({one["n"] for one in runs}, key=str),
        selection=", ".join(sorted({one["selection"] for one in runs})),
        made_of=list(made_of),
        **more,
    )


def read_records(file: str) -> list[dict]:
    """Return the metrics records of a file that holds one, or one a row of the table."""
    content = read_json(file)
    return [{**record, "origin": file} for record in content.get("records", [content])]


def read_paired(snakemake) -> list[dict]:
    """Return the comparisons behind bold and deviations over seeds, if their own run records are whole."""
    for file in snakemake.input.get("paired_runs", []):
        check(read_json(file), file)
    return [read_json(file) for file in snakemake.input.get("paired", [])]


def seeds_of(runs: list[dict]) -> list[int]:
    """Return the seeds of the runs, ascending."""
    return sorted({one["seed"] for one in runs})
