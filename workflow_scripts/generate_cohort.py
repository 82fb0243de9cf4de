"""Rule generate_cohort: write a synthetic cohort in the benchmark's folder layout."""

import json
from pathlib import Path

from clinbench import plugins
from clinbench.digest import value_digest
from clinbench.files import atomic_folder
from snakejob import job

with job(snakemake) as run:
    plugin = plugins.load("cohorts", snakemake.wildcards.cohort)
    options = json.loads(snakemake.params.options)
    with atomic_folder(snakemake.output.folder, durable=False) as folder:
        summary = plugin.generate(options, Path(folder))
    best = {"mortality": summary["bayes_auroc"], "phenotyping": summary["phenotyping"]["bayes_micro_auroc"]}
    told = ", ".join(f"{task} {auroc:.3f}" for task, auroc in best.items() if auroc is not None)
    run.tell(f"Bayes AUROC of the synthetic cohort (no model is better on average): {told}")
    run.write_record(data_fingerprint=value_digest(summary), n=summary["stays"], summary=summary)
