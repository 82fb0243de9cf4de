"""Rule import_predictions: take predictions made elsewhere as those of a row."""

from pathlib import Path

from clinbench.cohorts.tensors import Cohort
from clinbench.risk.external import read_external
from snakejob import job

with job(snakemake) as run:
    cohort = Cohort.load(snakemake.input.cohort)
    predictions, counts = read_external(Path(snakemake.input.file), cohort)
    predictions.write(snakemake.output.predictions)
    run.write_record(
        data_fingerprint=cohort.fingerprint(),
        n=len(predictions.stays),
        selection="made elsewhere, not known",
        task=snakemake.params.task,
        trainings=None,  # of a search nobody told us of
        info=counts,
    )
