"""Rule tsne_figure: test embeddings and anchors of every cohort and row in the plane."""

from pathlib import Path

from clinbench import plugins
from clinbench.files import read_json
from clinbench.progress import progress
from clinbench.reporting.figures import Panel, plot_tsne
from clinbench.reporting.tsne import tsne_embedding
from clinbench.risk.embeddings import Embeddings
from snakejob import job

with job(snakemake) as run:
    panels, settings = [], {}
    for file in progress(snakemake.input.embeddings, "t-SNE", every=0):
        cohort, row = Path(file).parts[-5], Path(file).parts[-3]
        stored = Embeddings.load(file)
        coords, anchors, perplexity = tsne_embedding(
            stored.embeddings,
            stored.anchors,
            snakemake.params.perplexity,
            snakemake.params.iterations,
            snakemake.params.seed,
        )
        title, synthetic = (plugins.declared("cohorts", cohort, key) for key in ("TITLE", "SYNTHETIC"))
        panels.append(Panel(title, row, coords, stored.labels, anchors, synthetic, perplexity))
        settings[f"{cohort}/{row}"] = stored.setting
    plot_tsne(panels, snakemake.output.pdf, snakemake.output.png)
    run.write_record(
        data_fingerprint=[read_json(file)["data_fingerprint"] for file in snakemake.input.runs],
        seed=snakemake.params.seed,
        n={panel.cohort: len(panel.labels) for panel in panels},
        selection="validation",
        settings=settings,
    )
