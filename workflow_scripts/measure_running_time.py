"""Rule measure_running_time: training steps of every loss of a table, side by side."""

import json

from clinbench.cohorts.tensors import Cohort
from clinbench.risk.timing import time_losses
from clinbench.risk.train import Recipe
from snakejob import job

with job(snakemake) as run:
    cohort = Cohort.load(snakemake.input.cohort)
    timed = json.loads(snakemake.params.timed)
    recipe = Recipe(timed["batch_size"], 1, timed["learning_rate"], timed["gradient_clip"])
    ratios = time_losses(
        cohort, timed["model"], dict(timed["losses"]), recipe, timed["preset"], device=run.use_torch()
    )
    run.write_record(
        data_fingerprint=cohort.fingerprint(),
        n=int((cohort.split == "train").sum()),
        batch_size=recipe.batch_size,
        ratios=ratios,
    )
