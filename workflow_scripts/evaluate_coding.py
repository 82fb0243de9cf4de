"""Rule evaluate_coding: metrics of a system at exact, category and chapter level, with intervals."""

import json
from functools import partial

import numpy as np
import polars as pl

from clinbench import plugins
from clinbench.coding.codes import LEVELS, level_or_own
from clinbench.coding.frames import read_frame
from clinbench.coding.runs import read_run
from clinbench.evaluation.ranking import answered_queries, gold_ranks
from clinbench.evaluation.records import ranking_rows
from clinbench.files import read_json, write_json
from snakejob import job

with job(snakemake) as run:
    names, draws = snakemake.wildcards, json.loads(snakemake.params.draws)
    test = read_frame(snakemake.input.queries).filter(pl.col("split") == "test")
    pool = read_frame(snakemake.input.table)["code"]
    runs = [read_run(file) for file in snakemake.input.trec]
    provenance = [read_json(file) for file in snakemake.input.runs]
    gold = test["code"].to_list()
    rankings = [[ranked.get(query, []) for query in test["query_id"]] for ranked in runs]  # seeds, queries
    rows = ranking_rows(
        {
            name: np.stack(
                [gold_ranks(of_seed, gold, partial(level_or_own, name=name)) for of_seed in rankings]
            )
            for name in LEVELS
        },
        np.stack([answered_queries(of_seed) for of_seed in rankings]),
        test["doc"].to_numpy(),
        columns={
            "track": "coding",
            "task": "retrieval",
            "dataset": names.benchmark,
            "model": snakemake.params.model,
            "system": names.system,
            "selection": provenance[0]["selection"],
        },
        draws=draws["interval_draws"],
        std_draws=draws["std_draws"],
    )
    facts = {
        "title": snakemake.params.title,
        "synthetic": plugins.declared("coding.benchmarks", names.benchmark, "SYNTHETIC"),
        "pool": pool.n_unique(),
        "resampled": plugins.declared("coding.benchmarks", names.benchmark, "RESAMPLED", "documents"),
        "search_budget": 0,
        **draws,
    }
    write_json(snakemake.output.metrics, {"rows": rows, "provenance": provenance, "facts": facts})
    run.write_record(
        data_fingerprint=provenance[0]["data_fingerprint"], n=len(test), selection=provenance[0]["selection"]
    )
