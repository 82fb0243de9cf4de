"""Rule download_data: an open data set from its publisher, checked."""

from clinbench.digest import value_digest
from clinbench.downloads import SOURCES, download
from clinbench.files import atomic_folder, write_json
from snakejob import job

with job(snakemake) as run:
    name = snakemake.wildcards.dataset
    with atomic_folder(snakemake.output.folder) as folder:
        found = download(name, SOURCES[name], folder, run.tell)
    run.tell(f"{name}: checked. Set data.{name} to {snakemake.output.folder}")
    record = run.record(value_digest(found["files"]), len(found["files"]), **found)
    write_json(snakemake.output.run, record)
