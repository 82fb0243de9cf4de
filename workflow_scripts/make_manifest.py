"""Rule manifest: what this run made, of what, with which code, configuration and environment."""

import json
from pathlib import Path

from clinbench.files import write_json
from clinbench.manifest import manifest
from clinbench.provenance import git_state
from snakejob import job

# A prediction's record tells the seconds of its trainings.
WITHIN = {"predict_risk": "train_risk"}

with job(snakemake) as run:
    params = snakemake.params
    told = manifest(
        Path(snakemake.output.manifest).parent,
        json.loads(params.results),
        snakemake.config,
        git_state(str(Path(__file__).resolve().parent)),
        json.loads(params.selected),
        WITHIN,
    )
    write_json(snakemake.output.manifest, told | {"command": params.command.format(target="all")})
