"""Rule report: everything that may be shared, as one HTML file that needs no network."""

import json
from pathlib import Path

from clinbench.export import admitted, known_site
from clinbench.files import read_json, write_text
from clinbench.reporting.page.cards import cards
from clinbench.reporting.page.page import figure_part, page, table_part
from snakejob import job

with job(snakemake) as run:
    inputs, params = snakemake.input, snakemake.params
    root = Path(inputs.manifest).parent
    site = known_site(root / "private", json.loads(params.credentialed))
    results, left_out = admitted(root, json.loads(params.results), site, set(json.loads(params.allowed)))
    shared = {name for result in results for name in result}
    metrics = {
        f"{root.name}/{name}": read_json(root / name)
        for name in sorted(shared)
        if name.startswith("metrics/") and not name.endswith(".run.json")
    }
    tables = [
        table_part(root, name, target, params.command, metrics)
        for name, target in json.loads(params.tables)
        if f"{name}.md" in shared
    ]
    figures = [
        figure_part(root, name, target, params.command, Path(caption).read_text("utf-8"), root / record)
        for name, target, caption, record in json.loads(params.figures)
        if f"{name}.png" in shared
    ]
    claims = [claim for file in inputs.claims for claim in read_json(file)]
    told = cards(list(metrics.values()), json.loads(params.data))
    strays = {name: why for name, why in left_out.items() if not name.endswith("/")}
    html = page(tables, figures, told, claims, read_json(inputs.manifest), strays)
    write_text(snakemake.output.html, html)
    run.tell(f"{len(tables)} tables and {len(figures)} figures: {snakemake.output.html}")
