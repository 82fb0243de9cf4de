"""Rules compare_risk and compare_imbalance: the rows of one table block against each other, on the same draws."""

import json

import numpy as np

from clinbench.cohorts.sampling import ALL
from clinbench.cohorts.tensors import Cohort
from clinbench.evaluation.comparisons import compare_outcomes
from clinbench.evaluation.paired import Compared
from clinbench.evaluation.paired_records import paired_record, system_facts
from clinbench.files import read_json, write_json
from clinbench.risk.predictions import read_probabilities
from clinbench.risk.thinned import read_thinned, skipped
from sharing import shared
from snakejob import job

with job(snakemake) as run:
    inputs, systems = snakemake.input, json.loads(snakemake.params.systems)
    names, level = snakemake.wildcards, getattr(snakemake.wildcards, "level", None)
    cohort = Cohort.load(inputs.cohort)
    test, draws = cohort.select("test"), json.loads(snakemake.params.draws)["interval_draws"]
    files, records, scores, known = iter(inputs.predictions), map(read_json, inputs.runs), {}, {}
    for row, seeds in systems:
        if level is None:
            scores[row] = np.stack([read_probabilities(next(files), test) for _ in seeds])
            known[row] = system_facts(seeds, [next(records) for _ in seeds])
        else:
            scores[row] = read_thinned(next(files), test)
            known[row] = system_facts(seeds, [next(records)])
    # At the level of all positives the training stays are the same in each draw: seeds are what is repeated.
    thinned = level not in (None, ALL)
    reason = skipped(cohort, level) if level else ""
    record = paired_record(
        Compared([], {}) if reason else compare_outcomes(test.labels, scores, test.patients, draws),
        {} if reason else known,
        dict.fromkeys(scores, reason) if reason else {},
        block={"dataset": names.cohort, "model": names.model, "level": level or ""},
        unit="patient",
        n=len(test),
        groups=len(np.unique(test.patients)),
        draws=draws,
        training_draws=max(map(len, scores.values())) if thinned else 0,
    )
    write_json(snakemake.output.paired, shared(snakemake, record))
    selections = {read_json(file)["selection"] for file in inputs.runs}
    run.write_record(
        data_fingerprint=test.fingerprint(), n=len(test), selection=", ".join(sorted(selections))
    )
