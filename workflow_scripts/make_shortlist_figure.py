"""Rule shortlist_figure: scores of every re-ranker of a benchmark by the length of its shortlist."""

import json

import numpy as np

from clinbench import plugins
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.shortlist import shortened, sizes
from clinbench.evaluation.ranking import answered_queries, gold_ranks, ranking_metrics
from clinbench.reporting.shortlists import METRICS, Shortlist, plot_shortlists
from snakejob import job
from testedjob import Tested


def scores(rankings: list) -> tuple[np.ndarray, dict[str, float]]:
    """Return the ranks of the gold codes and the metrics that are drawn."""
    ranks = gold_ranks(rankings, golds, str)
    found = ranking_metrics(ranks, answered_queries(rankings))
    return ranks, {name: found[name] for name in METRICS}


def means(of_seeds: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([found[name] for found in of_seeds])) for name in METRICS}


with job(snakemake) as run:
    params, benchmark = snakemake.params, snakemake.wildcards.benchmark
    tested = Tested(snakemake)
    test, golds = tested.test, tested.golds
    panels = []
    for entry in json.loads(params.systems):
        runs = [(tested.rankings(first), tested.rankings(second)) for first, second in entry["runs"]]
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
