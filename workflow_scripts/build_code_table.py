"""Rule build_code_table: a pool of codes with their texts."""

import json
from pathlib import Path

from clinbench import plugins
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import write_frame
from snakejob import job

with job(snakemake) as run:
    files = [*snakemake.input.data, *snakemake.input.parts]
    data = dict(zip(snakemake.params.sources, map(Path, files), strict=True))
    plugin = plugins.load("coding.tables", snakemake.params.kind)
    table, info = plugin.load(data, json.loads(snakemake.params.options))
    print(json.dumps(info, indent=2, ensure_ascii=False))
    write_frame(snakemake.output.table, table)
    run.write_record(
        data_fingerprint=fingerprint(table),
        n=table["code"].n_unique(),
        info=info,
        title=plugin.TITLE,
        edition=info.get("edition", plugin.EDITION),
    )
