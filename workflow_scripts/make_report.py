"""Rule report: everything that may be shared, as one HTML file that needs no network."""

import json
from pathlib import Path

from clinbench.export import admitted, known_site
from clinbench.files import read_json, write_text
from clinbench.reporting.page.cards import cards
from clinbench.reporting.page.origins import records
from clinbench.reporting.page.page import figure_part, page, table_part
from clinbench.reporting.page.verdicts import read_verdicts
from snakejob import job

with job(snakemake) as run:
    params, root = snakemake.params, Path(snakemake.input.manifest).parent
    site = known_site(root / "private", json.loads(params.credentialed))
    results, left_out = admitted(root, json.loads(params.results), site, set(json.loads(params.allowed)))
    shared = {name for result in results for name in result}
    files = [
        name for name in sorted(shared) if name.startswith("metrics/") and not name.endswith(".run.json")
    ]
    metrics = {f"{root.name}/{name}": records(read_json(root / name)) for name in files}
    tables = [
        table_part(root, name, target, params.command, metrics)
        for name, target in json.loads(params.tables)
        if f"{name}.md" in shared
    ]
    figures = [
        figure_part(root, name, target, params.command, root / record, caption)
        for name, target, caption, record in json.loads(params.figures)
        if f"{name}.png" in shared
    ]
    ledger = None
    if "claims.csv" in shared:
        part = table_part(root, "claims", f"{root.name}/claims.tex", params.command, {})
        ledger = part, read_verdicts(root / "claims.csv")
    told = cards([record for found in metrics.values() for record in found], json.loads(params.data))
    strays = {name: why for name, why in left_out.items() if not name.endswith("/")}
    html = page(tables, figures, told, ledger, read_json(snakemake.input.manifest), strays)
    write_text(snakemake.output.html, html)
    run.tell(f"{len(tables)} tables and {len(figures)} figures: {snakemake.output.html}")
