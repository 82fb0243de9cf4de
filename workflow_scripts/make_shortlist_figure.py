"""Rule shortlist_figure: scores of every re-ranker of a benchmark by the length of its shortlist."""

import json

import numpy as np

from clinbench import plugins
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import in_splits, read_frame
from clinbench.coding.gold import alternatives
from clinbench.coding.pool import pool_of
from clinbench.coding.runs import read_run
from clinbench.coding.shortlist import shortened, sizes
from clinbench.evaluation.ranking import answered_queries, gold_ranks, ranking_metrics
from clinbench.reporting.shortlists import METRICS, Shortlist, plot_shortlists
from snakejob import job


def scores(rankings: list) -> tuple[np.ndarray, dict[str, float]]:
    """Return the ranks of the gold codes and the metrics that are drawn."""
    ranks = gold_ranks(rankings, golds, str)
    found = ranking_metrics(ranks, answered_queries(rankings))
    return ranks, {name: found[name] for name in METRICS}


def means(of_seeds: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([found[name] for found in of_seeds])) for name in METRICS}


with job(snakemake) as run:
    inputs, params, benchmark = snakemake.input, snakemake.params, snakemake.wildcards.benchmark
    queries = read_frame(inputs.queries)
    pool = pool_of(read_frame(inputs.table), queries, read_frame(inputs.training), params.pool)
    test = in_splits(queries, "test")
    golds = [alternatives(code, pool) for code in test["code"]]

    def rankings(file: str) -> list:
        """Read a run and align it with the test mentions."""
        ranked = read_run(file)
        return [ranked.get(query, []) for query in test["query_id"]]

    panels = []
    for entry in json.loads(params.systems):
        runs = [(rankings(first), rankings(second)) for first, second in entry["runs"]]
        shown = sizes(entry["shortlist"], params.depth)
        unranked = [scores(first) for first, _ in runs]
        cut = [means([scores(shortened(*pair, size))[1] for pair in runs]) for size in shown]
        inside = [
            np.mean([((ranks > 0) & (ranks <= size)).mean() for ranks, _ in unranked]) for size in shown
        ]
        panels.append(
            Shortlist(
                benchmark=params.title,
                synthetic=plugins.declared("coding.benchmarks", benchmark, "SYNTHETIC"),
                **{key: entry[key] for key in ("system", "model", "first")},
                n=test.height,
                sizes=shown,
                ceiling=[float(share) for share in inside],
                scores={name: [found[name] for found in cut] for name in METRICS},
                unranked=means([found for _, found in unranked]),
            )
        )
    plot_shortlists(panels, snakemake.output.pdf, snakemake.output.png)
    run.write_record(
        data_fingerprint=fingerprint(test),
        n=test.height,
        selection="fixed settings",
        points=[
            {
                "system": panel.system,
                "sizes": panel.sizes,
                "ceiling": panel.ceiling,
                "scores": dict(panel.scores),
            }
            for panel in panels
        ],
    )
