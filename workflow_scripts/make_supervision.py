"""Rule make_supervision: data set A, written by a tutor, with the leak guard against the selected benchmarks."""

import json
from pathlib import Path

from clinbench.coding.frames import in_splits, read_frame
from clinbench.coding.supervision.build import build
from clinbench.coding.supervision.examples import write_examples
from clinbench.coding.text import fold
from clinbench.files import write_json
from snakejob import job


def evaluation_mentions(file: str) -> set[str]:
    """Return the folded mentions of a benchmark's val and test parts, those that its train part holds too included."""
    queries = in_splits(read_frame(file), "val", "test")
    return {fold(query) for query in queries["query"]}


with job(snakemake) as run:
    names = snakemake.params.benchmarks
    evaluation = {
        name: evaluation_mentions(file) for name, file in zip(names, snakemake.input.queries, strict=True)
    }
    sources = dict(zip(names, snakemake.params.access, strict=True))
    settings = json.loads(snakemake.params.supervision)
    examples, report = build(settings, evaluation, sources, Path(snakemake.params.cache))
    print(json.dumps(report, indent=2, ensure_ascii=False))
    write_examples(snakemake.output.examples, examples)
    write_json(snakemake.output.report, report)
    run.write_record(
        data_fingerprint=report["lexicon"],
        n=len(examples),
        tutor=settings["tutor"],
        generator=report["generator"],
    )
