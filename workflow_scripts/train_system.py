"""Rule train_system: fit a retrieval system on the train mentions of a benchmark, going on where it was interrupted."""

import json
import shutil
from pathlib import Path

from clinbench import plugins
from clinbench.checkpoints import seconds_kept
from clinbench.coding.context import Context
from clinbench.coding.encoders import fetch
from clinbench.coding.fingerprint import fingerprint
from clinbench.coding.frames import in_splits, read_frame
from clinbench.coding.groups import read_groups, retold
from clinbench.coding.supervision.examples import read_examples
from clinbench.digest import content_digest, value_digest
from clinbench.files import atomic_folder
from clinbench.provenance import environment_hash
from clinbench.runtime import cell_seed
from snakejob import job
from textsjob import read_texts

with job(snakemake) as run:
    names = snakemake.wildcards
    queries, side = read_frame(snakemake.input.queries), read_texts(snakemake)
    table = side.table
    supervision = {Path(path).name: Path(path) for path in snakemake.input.supervision}
    groups = read_groups(supervision["groups.jsonl"]) if "groups.jsonl" in supervision else None
    if groups and snakemake.params.sources:
        groups = retold(groups, queries, table)
    examples = read_examples(supervision["A.jsonl"]) if "A.jsonl" in supervision else None
    found = run.encoder()
    device = run.use_torch()
    # All that shapes the model: a state of another configuration, code or data is not found.
    key = [
        *(dict(names.items()), snakemake.params.kind, snakemake.params.options, snakemake.params.encoder),
        *(fingerprint(queries), fingerprint(table), [content_digest(path) for path in supervision.values()]),
        *(snakemake.params.code, device, run.precision, environment_hash()),
    ]
    state = Path(snakemake.params.state) / value_digest(key)
    run.earlier = seconds_kept(state.glob("*.resume"))
    context = Context(
        encoder=fetch(found) if found else None,
        first_stage_model=supervision.get("model"),
        examples=examples,
        embeddings=side.embeddings,
        device=device,
        precision=run.precision,
        seed=cell_seed(names.benchmark, names.system, int(names.seed)),
        state=state,
    )
    with atomic_folder(snakemake.output.model) as folder:
        summary = plugins.load("coding.systems", snakemake.params.kind).fit(
            in_splits(queries, "train"),
            in_splits(queries, "val"),
            table,
            groups,
            json.loads(snakemake.params.options),
            context,
            folder,
        )
    run.write_record(
        data_fingerprint=fingerprint(queries),
        n=in_splits(queries, "train").height,
        encoder={
            "name": snakemake.params.name,
            "is": snakemake.params.encoder,
            "source": found and found.source,
        },
        examples=None if examples is None else len(examples),
        options=json.loads(snakemake.params.options),
        summary=summary,
    )
    shutil.rmtree(state, ignore_errors=True)  # last: whatever is missing above is made from it
