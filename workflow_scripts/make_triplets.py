"""Rule triplets_figure: loss terms beside their triplet approximations; formulas, no data."""

import numpy as np

from clinbench.reporting.triplet_curves import Triplet, plot_triplets
from clinbench.risk.triplets import Terms, cbce_terms, csce_terms, fits, scr_terms
from snakejob import job

COSINES, LOGITS = np.linspace(-1, 1, 401), np.linspace(-8, 8, 401)
LOGIT_AXIS = "margin a − d of the anchors' logits"


def panel(title: str, terms: Terms, **axis: str) -> Triplet:
    """Make one column of the figure."""
    return Triplet(title, terms.margin, terms.exact, {"hinge": terms.hinge, "linear": terms.linear}, **axis)


with job(snakemake) as run:
    terms = {
        f"SCR, τ = {snakemake.params.temperature:g}": scr_terms(COSINES, snakemake.params.temperature),
        "CSCE": csce_terms(LOGITS),
        "CBCE, d = −a": cbce_terms(LOGITS),
    }
    axes = [{}, {"axis": LOGIT_AXIS}, {"axis": LOGIT_AXIS}]
    panels = [panel(title, of, **axis) for (title, of), axis in zip(terms.items(), axes, strict=True)]
    plot_triplets(panels, snakemake.output.pdf, snakemake.output.png)
    run.write_record(
        data_fingerprint="formulas, no data",
        n=0,
        fits={title: {name: fit._asdict() for name, fit in fits(of).items()} for title, of in terms.items()},
    )
