"""Rule build_benchmark: mentions with gold codes, split into train, val and test."""

import json
from pathlib import Path

from clinbench import plugins
from clinbench.coding.editions import tell_unknown
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import read_frame, require_test, without_documents, write_frame
from snakejob import job

with job(snakemake) as run:
    data = dict(zip(snakemake.params.sources, map(Path, snakemake.input.data), strict=True))
    plugin = plugins.load("coding.benchmarks", snakemake.wildcards.benchmark)
    table = read_frame(snakemake.input.table)
    queries, info = plugin.load(data, json.loads(snakemake.params.options), table)
    places = info.pop("unknown_places", {})  # they may name rows: for the log, not for the record
    tell_unknown(places, snakemake.wildcards.benchmark, table["code"].n_unique(), snakemake.params.edition)
    if snakemake.params.tested:  # others only train
        require_test(queries, snakemake.wildcards.benchmark)
    for file in snakemake.input.training:
        queries, left_out = without_documents(queries, read_frame(file))
        info |= left_out
    print(json.dumps(info, indent=2, ensure_ascii=False))
    if info.get("unknown_rows"):
        run.tell(
            f"{snakemake.wildcards.benchmark}: {info['unknown_rows']} rows have a gold code that is not in the table; "
            f"they count as wrong and are named in {snakemake.log[0]}."
        )
    write_frame(snakemake.output.queries, queries)
    run.write_record(data_fingerprint=fingerprint(queries), n=len(queries), info=info)
