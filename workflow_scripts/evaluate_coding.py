"""Rule evaluate_coding: metrics of a system at three levels, on subsets and for documents, with intervals."""

import json

from clinbench import plugins
from clinbench.evaluation.retrieval import document_rows, retrieval_rows
from clinbench.files import read_json, write_json
from sharing import shared
from snakejob import job
from testedjob import Tested

SMALLEST = 10  # mentions of a subset that is reported

with job(snakemake) as run:
    names, params, draws = snakemake.wildcards, snakemake.params, json.loads(snakemake.params.draws)
    tested = Tested(snakemake)
    rankings = [tested.rankings(file) for file in snakemake.input.trec]  # seeds, queries
    provenance = [read_json(file) for file in snakemake.input.runs]
    settings = {
        "columns": {
            "track": "coding",
            "task": "retrieval",
            "dataset": names.benchmark,
            "model": params.model,
            "system": names.system,
            "selection": provenance[0]["selection"],
        },
        "draws": draws["interval_draws"],
        "std_draws": draws["std_draws"],
    }
    rows = retrieval_rows(
        rankings,
        tested.golds,
        tested.test["doc"].to_numpy(),
        tested.levels,
        tested.subsets(),
        depth=params.depth,
        smallest=SMALLEST,
        **settings,
    )
    if tested.resampled == "documents":
        predicted = [tested.codes_by_document(of_seed) for of_seed in rankings]
        rows += document_rows(tested.gold_codes(), predicted, **settings)
    facts = {
        "title": params.title,
        "synthetic": plugins.declared("coding.benchmarks", names.benchmark, "SYNTHETIC"),
        "pool": len(tested.pool),
        **tested.row_pool(provenance[0]),
        "resampled": tested.resampled,
        "search_budget": 0,
        **draws,
    }
    record = {"rows": rows, "provenance": provenance, "facts": facts}
    write_json(snakemake.output.metrics, shared(snakemake, record))
    run.write_record(
        data_fingerprint=provenance[0]["data_fingerprint"],
        n=len(tested.test),
        selection=provenance[0]["selection"],
    )
