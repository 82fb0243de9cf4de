"""Rule export: pack the shared tables, figures and metrics; leave out, with the reason, what may not leave."""

import json
from pathlib import Path

from clinbench.export import pack
from snakejob import job

with job(snakemake) as run:
    packed, refused = pack(
        Path(snakemake.output.archive).parent,
        Path(snakemake.output.archive),
        json.loads(snakemake.params.results),
        json.loads(snakemake.params.credentialed),
        json.loads(snakemake.params.allowed),
    )
    run.tell(f"Packed {len(packed)} files in {snakemake.output.archive}; {len(refused)} may not leave:")
    for name, why in refused.items():
        run.tell(f"  {name}: {'; '.join(why[:3])}")
    run.write_record(data_fingerprint=None, n=len(packed), packed=packed, refused=refused)
