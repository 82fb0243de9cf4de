# What the run has to say to the papers' claims.
CLAIMS = os.path.join(workflow.basedir, "workflow_scripts/clinbench/claims/claims.yaml")


localrules:
    claims,


rule claims:
    input:
        records=ledger.records,
        runs=ledger.runs,
        stated=CLAIMS,
        published=PUBLISHED,
    output:
        md="results/claims.md",
        csv=report("results/claims.csv", category="Claims"),
        tex=report("results/claims.tex", category="Claims"),
        json="results/claims.json",
        run="results/claims.run.json",
    log:
        "results/logs/claims.log",
    benchmark:
        "results/benchmarks/claims.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        told=ledger.told(),
        code=code_digest("make_claims.py"),
    script:
        "../workflow_scripts/make_claims.py"
