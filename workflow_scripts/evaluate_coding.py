"""Rule evaluate_coding: metrics of a system at three levels, on subsets and for documents, with intervals."""

import json
from functools import partial

from clinbench import plugins
from clinbench.coding.codes import LEVELS, level_or_own
from clinbench.coding.documents import document_codes, first_answers
from clinbench.coding.frames import in_splits, read_frame
from clinbench.coding.gold import alternatives
from clinbench.coding.pool import pool_of
from clinbench.coding.runs import read_run
from clinbench.coding.subsets import subsets
from clinbench.evaluation.documents import codes_of
from clinbench.evaluation.retrieval import document_rows, retrieval_rows
from clinbench.files import read_json, write_json
from snakejob import job

SMALLEST = 10  # mentions of a subset that is reported

with job(snakemake) as run:
    names, params, draws = snakemake.wildcards, snakemake.params, json.loads(snakemake.params.draws)
    queries, training = read_frame(snakemake.input.queries), read_frame(snakemake.input.training)
    pool = pool_of(read_frame(snakemake.input.table), queries, training, params.pool)
    test, learned = in_splits(queries, "test"), in_splits(training, "train", "val")
    runs = [read_run(file) for file in snakemake.input.trec]
    rankings = [[ranked.get(query, []) for query in test["query_id"]] for ranked in runs]  # seeds, queries
    provenance = [read_json(file) for file in snakemake.input.runs]
    golds, train_golds = ([alternatives(code, pool) for code in frame["code"]] for frame in (test, learned))
    edition = plugins.declared("coding.benchmarks", names.benchmark, "LEVEL", "cm")
    docs = test["doc"].to_list()
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
        golds,
        test["doc"].to_numpy(),
        {name: partial(level_or_own, name=name, edition=edition) for name in LEVELS},
        subsets(test, learned, golds, train_golds, edition),
        depth=params.depth,
        smallest=SMALLEST,
        **settings,
    )
    resampled = plugins.declared("coding.benchmarks", names.benchmark, "RESAMPLED", "documents")
    if resampled == "documents":
        gold_pairs = list(zip(docs, (accepted[0] for accepted in golds), strict=True))
        answered = [document_codes(docs, first_answers(of_seed, golds)) for of_seed in rankings]
        predicted = [
            codes_of((doc, code) for doc, codes in of_seed.items() for code in codes) for of_seed in answered
        ]
        rows += document_rows(codes_of(gold_pairs), predicted, **settings)
    facts = {
        "title": params.title,
        "synthetic": plugins.declared("coding.benchmarks", names.benchmark, "SYNTHETIC"),
        "pool": len(pool),
        "resampled": resampled,
        "search_budget": 0,
        **draws,
    }
    record = {"rows": rows, "provenance": provenance, "facts": facts}
    write_json(snakemake.output.metrics, run.shared(record))
    run.write_record(
        data_fingerprint=provenance[0]["data_fingerprint"], n=len(test), selection=provenance[0]["selection"]
    )
