"""Rule train_risk: train every setting of one batch size of a row, resuming what is finished."""

import json
from pathlib import Path

from safetensors.torch import save_file

from clinbench.cohorts.sampling import sample
from clinbench.cohorts.tensors import Cohort
from clinbench.digest import value_digest
from clinbench.files import atomic_path, write_json
from clinbench.provenance import environment_hash
from clinbench.risk.search import Setting
from clinbench.risk.settings import is_finished, seconds_spent, train_settings
from clinbench.risk.tasks import Selection
from clinbench.risk.train import Recipe
from snakejob import job

with job(snakemake) as run:
    names = snakemake.wildcards
    cohort = Cohort.load(snakemake.input.cohort)
    fingerprint = cohort.fingerprint()
    recipe = json.loads(snakemake.params.recipe)
    settings = [Setting(**setting) for setting in recipe.pop("settings")]
    cell = (names.cohort, names.model, names.sample, int(names.batch), int(names.seed))
    device = run.use_torch()
    # Finished settings are found again by all that shapes them, not by the list they are part of. With the row, so
    # that two rows of one loss never write one file.
    key = [names.row, recipe, snakemake.params.code, fingerprint, cell, device, environment_hash()]
    state = Path(snakemake.params.state) / value_digest(key)
    reused = sum(is_finished(state, setting) for setting in settings)
    run.earlier = seconds_spent(state, settings)
    thinned = sample(cohort, names.sample)
    records, weights = [], {}
    if thinned is None:
        run.tell(
            f"{names.cohort}, {names.sample}: too few positives to train on; the level is marked as skipped."
        )
    else:
        records, weights = train_settings(
            thinned,
            recipe["model"],
            recipe["loss"],
            settings,
            Recipe(int(names.batch), recipe["epochs"], recipe["learning_rate"], recipe["gradient_clip"]),
            Selection(recipe["task"], recipe["metric"], recipe["selection"]),
            preset=recipe["preset"],
            seed_parts=cell,
            device=device,
            state=state,
            stacked=recipe["stacked"],
        )
    with atomic_path(snakemake.output.weights) as temporary:
        save_file(weights, temporary)
    write_json(snakemake.output.history, records)
    run.write_record(
        data_fingerprint=fingerprint,
        n=int((thinned.split == "train").sum()) if thinned else 0,
        selection=recipe["selection"],
        trainings=len(records),
        reused=reused,
    )
