"""Rule predict_risk: the selected setting, applied to the test stays."""

import json

from safetensors.torch import load_file, save_file

from clinbench.cohorts.tensors import Cohort
from clinbench.files import atomic_path, named_parts, read_json, write_json
from clinbench.risk.embeddings import Embeddings
from clinbench.risk.predictions import Predictions
from clinbench.risk.search import choose
from clinbench.risk.selected import apply
from snakejob import job

with job(snakemake) as run:
    cohort = Cohort.load(snakemake.input.cohort)
    applied = json.loads(snakemake.params.applied)
    how = applied["model"], applied["loss"], applied["preset"], run.use_torch()
    sizes = [int(named_parts(file)["batch"]) for file in snakemake.input.histories]
    histories = dict(zip(sizes, map(read_json, snakemake.input.histories), strict=True))
    weights = dict(zip(sizes, map(load_file, snakemake.input.weights), strict=True))
    best = choose(histories)
    chosen = apply(cohort, best, weights[best["batch_size"]], *how)

    Predictions(chosen.stays, chosen.hours, chosen.labels, chosen.probabilities).write(
        snakemake.output.predictions
    )
    with atomic_path(snakemake.output.model) as temporary:
        save_file(chosen.weights, temporary)
    # The figure compares rows at one batch size, whichever one the table picked.
    size = snakemake.params.tsne_batch
    drawn = choose({size: histories[size]}) if size in histories else best
    shown = apply(cohort, drawn, weights[drawn["batch_size"]], *how)
    Embeddings.of(shown, drawn).save(snakemake.output.embeddings)
    write_json(snakemake.output.selected, {"table": best, "figure": drawn})
    trained = list(map(read_json, snakemake.input.runs))
    run.write_record(
        data_fingerprint=cohort.fingerprint(),
        n=len(chosen.stays),
        selection=applied["selected_by"],
        task=applied["task"],
        selected=best,
        parameters=chosen.parameters,
        trainings=sum(map(len, histories.values())),
        # What made the numbers is the training, not this prediction.
        device=", ".join(sorted({record["device"] for record in trained})),
        threads=max(record["threads"] for record in trained),
        wall_seconds=sum(record["wall_seconds"] for record in trained),
    )
