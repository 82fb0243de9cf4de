"""Rule scr_weights_figure: the validation score of every training of a table against its λ."""

from collections import defaultdict

import numpy as np

from clinbench import plugins
from clinbench.files import read_json
from clinbench.reporting.sensitivity import Sensitivity, plot_scr_weights
from sharing import shared
from snakejob import job

SPLIT = {"validation": "val", "test": "test"}

with job(snakemake) as run:
    points, records = defaultdict(lambda: defaultdict(list)), {}
    for history, file in zip(snakemake.input.histories, snakemake.input.runs, strict=True):
        record = shared(snakemake, read_json(file), file)
        names = record["wildcards"]
        records[names["cohort"]] = record
        points[names["cohort"]][names["row"]] += [
            (setting["scr_weight"], setting["score"]) for setting in read_json(history)
        ]
    panels = [
        Sensitivity(
            cohort=plugins.declared("cohorts", cohort, "TITLE"),
            synthetic=plugins.declared("cohorts", cohort, "SYNTHETIC"),
            model=snakemake.wildcards.model,
            metric=snakemake.params.metric,
            n=records[cohort]["data_fingerprint"]["splits"][SPLIT[records[cohort]["selection"]]]["stays"],
            leaks=records[cohort]["selection"] == "test",
            points={row: np.array(pairs, dtype=float) for row, pairs in rows.items()},
        )
        for cohort, rows in points.items()
    ]
    plot_scr_weights(panels, snakemake.output.pdf, snakemake.output.png)
    run.write_record(
        data_fingerprint=[record["data_fingerprint"] for record in records.values()],
        n={panel.cohort: panel.n for panel in panels},
        selection=", ".join(sorted({record["selection"] for record in records.values()})),
    )
