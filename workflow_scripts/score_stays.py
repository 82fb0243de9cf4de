"""Rule score_stays: a trained model applied to a user's own folder of stays."""

import json
from pathlib import Path

from safetensors.torch import load_file

from clinbench import plugins
from clinbench.cohorts.tensors import Cohort
from clinbench.digest import value_digest
from clinbench.errors import UserError
from clinbench.risk.predictions import Predictions
from clinbench.risk.selected import score_new
from snakejob import job

with job(snakemake) as run:
    names, applied = snakemake.wildcards, json.loads(snakemake.params.applied)
    plugin = plugins.load("cohorts", names.cohort)
    if not hasattr(plugin, "read_stays"):
        raise UserError(
            f"The cohort '{names.cohort}' cannot read stays to score; its plug-in has no read_stays."
        )
    cohort = Cohort.load(snakemake.input.cohort)
    folder, options = Path(snakemake.input.folder), json.loads(snakemake.params.options)
    new = plugin.read_stays(folder, cohort.info, options, applied["task"])
    how = applied["model"], applied["loss"], applied["preset"], run.use_torch()
    probabilities = score_new(new, cohort, load_file(snakemake.input.model), *how)
    Predictions(new.stays, new.hours, new.labels, probabilities).write(snakemake.output.predictions)
    run.tell(f"{len(new):,} stays scored: {snakemake.output.predictions}")
    odd = {key: count for key, count in new.info.items() if isinstance(count, int) and count}
    run.tell("Read with: " + ", ".join(f"{key.replace('_', ' ')} {count:,}" for key, count in odd.items()))
    run.write_record(
        data_fingerprint=value_digest(new.values.tolist()),
        n=len(new),
        info=new.info,
        trained_on=cohort.fingerprint(),
    )
