"""Rule copy_groups: data set B, the list-wise groups of an open benchmark, beside data set A."""

from clinbench.coding.groups import read_groups, write_groups
from clinbench.digest import content_digest
from snakejob import job

with job(snakemake) as run:
    groups = read_groups(snakemake.input.groups)
    write_groups(snakemake.output.groups, groups)
    run.write_record(
        data_fingerprint=content_digest(snakemake.input.groups),
        n=len(groups),
        benchmark=snakemake.params.benchmark,
    )
