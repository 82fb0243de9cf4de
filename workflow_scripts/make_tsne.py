"""Rule tsne_figure: test embeddings and anchors of every cohort and row in the plane."""

from clinbench import plugins
from clinbench.files import read_json
from clinbench.progress import progress
from clinbench.reporting.figures import Panel, plot_tsne
from clinbench.reporting.tsne import tsne_embedding
from clinbench.risk.embeddings import Embeddings
from snakejob import job

with job(snakemake) as run:
    panels, settings = [], {}
    records = list(map(read_json, snakemake.input.runs))
    cells = zip(snakemake.input.embeddings, records, strict=True)
    for file, record in progress(list(cells), "t-SNE"):
        cohort, row = (record["wildcards"][key] for key in ("cohort", "row"))
        stored = Embeddings.load(file)
        coords, anchors, perplexity = tsne_embedding(
            stored.embeddings,
            stored.anchors,
            snakemake.params.perplexity,
            snakemake.params.iterations,
            snakemake.params.seed,
        )
        title, synthetic = (plugins.declared("cohorts", cohort, key) for key in ("TITLE", "SYNTHETIC"))
        leaks = record["selection"].startswith("test")
        panels.append(Panel(title, row, coords, stored.labels, anchors, synthetic, perplexity, leaks))
        settings[f"{cohort}/{row}"] = stored.setting
    plot_tsne(panels, snakemake.output.pdf, snakemake.output.png)
    run.write_record(
        data_fingerprint=[record["data_fingerprint"] for record in records],
        seed=snakemake.params.seed,
        n={panel.cohort: len(panel.labels) for panel in panels},
        selection=", ".join(sorted({record["selection"] for record in records})),
        settings=settings,
    )
