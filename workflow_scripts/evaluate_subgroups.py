"""Rule evaluate_subgroups: each row scored on subgroups of the test stays, small ones hidden."""

import json
from pathlib import Path

from clinbench import plugins
from clinbench.cohorts.tensors import Cohort
from clinbench.files import write_json
from clinbench.risk.subgroups import group_facts, subgroup_rows, subgroups
from rowsjob import scored_rows
from sharing import shared
from snakejob import job

with job(snakemake) as run:
    draws, options = json.loads(snakemake.params.draws), json.loads(snakemake.params.options)
    test = Cohort.load(snakemake.input.cohort).select("test")
    plugin = plugins.load("cohorts", snakemake.wildcards.cohort)
    known = snakemake.input.prepared if hasattr(plugin, "units") else []
    units = [plugin.units(Path(folder)) for folder in known]
    groups = subgroups(test, **options, units=units[0] if units else None)
    counted = group_facts(test, groups, options["least"])
    records = [
        {
            "rows": subgroup_rows(test, row.p, groups, row.columns, draws),
            "provenance": row.provenance,
            "facts": row.facts | counted,
        }
        for row in scored_rows(snakemake, test, draws)
    ]
    write_json(snakemake.output.metrics, shared(snakemake, {"records": records}))
    selections = sorted({record["rows"][0]["selection"] for record in records})
    run.write_record(data_fingerprint=test.fingerprint(), n=len(test), selection=", ".join(selections))
