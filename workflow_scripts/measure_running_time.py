"""Rule measure_running_time: training steps of every loss of a table, side by side."""

import json

from clinbench.cohorts.tensors import Cohort
from clinbench.files import write_json
from clinbench.risk.timing import time_losses
from clinbench.risk.train import Recipe
from snakejob import job

with job(snakemake) as run:
    cohort = Cohort.load(snakemake.input.cohort)
    timed = json.loads(snakemake.params.timed)
    recipe = Recipe(timed["batch_size"], 1, timed["learning_rate"], timed["gradient_clip"])
    times = time_losses(
        cohort, timed["model"], timed["losses"], recipe, timed["preset"], device=run.use_torch()
    )
    write_json(snakemake.output.times, {"batch_size": recipe.batch_size, "device": run.device, "rows": times})
    run.write_record(data_fingerprint=cohort.fingerprint(), n=int((cohort.split == "train").sum()))
