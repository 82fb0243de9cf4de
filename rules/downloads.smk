# Open data sets from their publishers, only with allow_download: true; nothing else asks for them.
localrules:
    download,
    download_data,


rule download:
    input:
        expand("results/downloads/{dataset}", dataset=config["downloads"]),


rule download_data:
    input:
        lambda wildcards: told(require_permission, config),
    output:
        folder=directory("results/downloads/{dataset}"),
        run="results/downloads/{dataset}.run.json",
    log:
        "results/logs/download_data/{dataset}.log",
    benchmark:
        "results/benchmarks/download_data/{dataset}.tsv"
    wildcard_constraints:
        dataset=one_of(SOURCES),
    conda:
        "../envs/suite.yaml"
    params:
        code=code_digest("download_data.py"),
    script:
        "../workflow_scripts/download_data.py"
