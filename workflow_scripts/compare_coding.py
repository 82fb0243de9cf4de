"""Rule compare_coding: the systems of one benchmark against each other, on the same draws."""

import json

from clinbench.evaluation.comparisons import compare_systems
from clinbench.evaluation.paired_records import paired_record, system_facts
from clinbench.files import read_json, write_json
from sharing import shared
from snakejob import job
from testedjob import Tested

UNITS = {"documents": "document", "categories": "category"}

with job(snakemake) as run:
    params, inputs, tested = snakemake.params, snakemake.input, Tested(snakemake)
    draws = json.loads(params.draws)["interval_draws"]
    files, records, rankings, known = iter(inputs.trec), map(read_json, inputs.runs), {}, {}
    for system, seeds in json.loads(params.systems):
        rankings[system] = [tested.rankings(next(files)) for _ in seeds]
        known[system] = system_facts(seeds, [next(records) for _ in seeds])
    by_document = {
        system: [tested.codes_by_document(of_seed) for of_seed in runs]
        for system, runs in rankings.items()
        if tested.resampled == "documents"
    }
    compared = compare_systems(
        rankings,
        tested.golds,
        tested.test["doc"].to_numpy(),
        tested.levels,
        depth=params.depth,
        draws=draws,
        documents=(tested.gold_codes(), by_document) if by_document else None,
    )
    record = paired_record(
        compared,
        known,
        json.loads(params.absent),
        block={"dataset": snakemake.wildcards.benchmark},
        unit=UNITS[tested.resampled],
        n=len(tested.test),
        groups=len(set(tested.docs)),
        draws=draws,
    )
    write_json(snakemake.output.paired, shared(snakemake, record))
    made = [read_json(file) for file in inputs.runs]
    run.write_record(
        data_fingerprint=made[0]["data_fingerprint"],
        n=len(tested.test),
        selection=", ".join(sorted({one["selection"] for one in made})),
    )
