"""Rule claims: paired statistics and timings to a verdict on each claim of the papers."""

import json

from clinbench.claims.assess import assess
from clinbench.claims.ledger import Place, families
from clinbench.digest import value_digest
from clinbench.files import read_json, write_json
from clinbench.provenance import check
from clinbench.reporting.claims import claims, tally
from sharing import shared
from snakejob import job
from tablejob import write_table

with job(snakemake) as run:
    told = json.loads(snakemake.params.told)
    places = [Place(**place) for place in told["places"]]
    records = {file: shared(snakemake, read_json(file), file) for file in snakemake.input.records}
    runs = [check(shared(snakemake, read_json(file), file), file) for file in snakemake.input.runs]
    rows = assess(families(frozenset(told["rows"])), places, records, told["min_seeds"])
    # A data set that is run for one family and not for another is called as where it is run.
    ordered = sorted(places, key=lambda place: not place.refused)
    facts = {place.dataset: {"title": place.title, "synthetic": place.synthetic} for place in ordered}
    # Where nothing was run there is this job's own record: the ledger says so, by this code.
    own = run.record(data_fingerprint={"records": 0, "sha256": value_digest([])}, n=0)
    write_table(run, snakemake, claims(rows, facts, runs or [own], told["min_seeds"]), runs, [*records])
    summary = {"summary": tally(rows), "min_seeds": told["min_seeds"], "claims": rows, "provenance": runs}
    write_json(snakemake.output.json, summary)
