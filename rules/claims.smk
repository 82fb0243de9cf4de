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
        csv=report(
            "results/claims.csv",
            caption="captions/claims.rst",
            category="Claims",
            subcategory="Ledger",
            labels={"table": "claims", "format": "CSV"},
        ),
        tex=report(
            "results/claims.tex",
            caption="captions/claims.rst",
            category="Claims",
            subcategory="Ledger",
            labels={"table": "claims", "format": "LaTeX"},
        ),
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
