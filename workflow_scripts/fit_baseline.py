"""Rule fit_baseline: fit a row that is no network on the training stays and predict the test stays."""

import json

from clinbench import plugins
from clinbench.cohorts.tensors import Cohort
from clinbench.defaults import with_defaults
from clinbench.files import write_json
from clinbench.risk.predictions import Predictions
from clinbench.risk.tasks import Selection
from clinbench.runtime import cell_seed
from snakejob import job

with job(snakemake) as run:
    names, asked = snakemake.wildcards, json.loads(snakemake.params.baseline)
    cohort = Cohort.load(snakemake.input.cohort)
    plugin = plugins.load("risk.baselines", asked["entry"]["kind"])
    selection = Selection(asked["task"], asked["metric"])
    options = with_defaults(plugin.OPTIONS, asked["entry"])
    seed = cell_seed(names.cohort, names.row, int(names.seed))
    fitted = plugin.fit_predict(cohort, asked["budget"], seed, run.threads, selection, **options)
    test = cohort.select("test")
    Predictions(test.stays, test.lengths, test.labels, fitted.probabilities).write(
        snakemake.output.predictions
    )
    write_json(snakemake.output.selected, {"table": fitted.selected})
    run.write_record(
        data_fingerprint=cohort.fingerprint(),
        n=len(test),
        selection=f"{selection.stays} {selection.metric}",
        task=asked["task"],
        selected=fitted.selected,
        trainings=fitted.trainings,
    )
