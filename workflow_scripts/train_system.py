"""Rule train_system: fit a retrieval system on the train mentions of a benchmark."""

import json
from pathlib import Path

import polars as pl
from safetensors.numpy import load_file

from clinbench import plugins
from clinbench.coding.context import Context
from clinbench.coding.encoders import fetch
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import read_frame
from clinbench.coding.groups import read_groups
from clinbench.coding.supervision.examples import read_examples
from clinbench.files import atomic_folder
from clinbench.runtime import cell_seed
from snakejob import job

with job(snakemake) as run:
    names = snakemake.wildcards
    queries = read_frame(snakemake.input.queries)
    supervision = {Path(path).name: Path(path) for path in snakemake.input.supervision}
    groups = read_groups(supervision["groups.jsonl"]) if "groups.jsonl" in supervision else None
    examples = read_examples(supervision["A.jsonl"]) if "A.jsonl" in supervision else None
    vectors = [load_file(file)["embeddings"] for file in snakemake.input.embeddings]
    found = run.encoder()
    context = Context(
        encoder=fetch(found) if found else None,
        first_stage_model=supervision.get("model"),
        examples=examples,
        embeddings=vectors[0] if vectors else None,
        device=run.use_torch(),
        seed=cell_seed(names.benchmark, names.system, int(names.seed)),
    )
    with atomic_folder(snakemake.output.model) as folder:
        summary = plugins.load("coding.systems", snakemake.params.kind).fit(
            queries.filter(pl.col("split") == "train"),
            queries.filter(pl.col("split") == "val"),
            read_frame(snakemake.input.table),
            groups,
            json.loads(snakemake.params.options),
            context,
            folder,
        )
    run.write_record(
        data_fingerprint=fingerprint(queries),
        n=int((queries["split"] == "train").sum()),
        encoder={
            "name": snakemake.params.name,
            "is": snakemake.params.encoder,
            "source": found and found.source,
        },
        examples=None if examples is None else len(examples),
        options=json.loads(snakemake.params.options),
        summary=summary,
    )
