# What may leave the site, in one archive (docs/credentialed.md).
localrules:
    export,


rule export:
    input:
        sharing.targets(),
    output:
        archive="results/export.zip",
        run="results/export.run.json",
    log:
        "results/logs/export.log",
    benchmark:
        "results/benchmarks/export.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        results=sharing.results(),
        credentialed=sharing.credentialed(),
        allowed=sharing.allowed_figures(),
        code=code_digest("export_results.py"),
    script:
        "../workflow_scripts/export_results.py"
