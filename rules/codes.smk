# Code tables (the pools) and benchmarks (mentions with their gold codes).


def table_kind(wildcards):
    return CODING["tables"][wildcards.table]["kind"]


def benchmark_table(benchmark):
    """Return the file of the code table a benchmark is answered from."""
    return f"results/open/tables/{configuration.table_of(config, benchmark)}.tsv"


rule build_code_table:
    input:
        data=lambda wildcards: data_paths("coding.tables", table_kind(wildcards)),
    output:
        table="results/open/tables/{table}.tsv",
        run="results/open/tables/{table}.run.json",
    log:
        "results/logs/build_code_table/{table}.log",
    benchmark:
        "results/benchmarks/build_code_table/{table}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        kind=table_kind,
        sources=lambda wildcards: data_keys("coding.tables", table_kind(wildcards)),
        options=lambda wildcards: options_of(CODING["tables"][wildcards.table], "kind"),
        code=lambda wildcards: code_digest(
            "build_code_table.py",
            plugins.module("coding.tables", table_kind(wildcards)),
        ),
    script:
        "../workflow_scripts/build_code_table.py"


rule build_benchmark:
    input:
        data=lambda wildcards: data_paths("coding.benchmarks", wildcards.benchmark),
        table=lambda wildcards: benchmark_table(wildcards.benchmark),
    output:
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        run="results/{access}/coding/{benchmark}/queries.run.json",
    log:
        "results/logs/build_benchmark/{access}/{benchmark}.log",
    benchmark:
        "results/benchmarks/build_benchmark/{access}/{benchmark}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        sources=lambda wildcards: data_keys("coding.benchmarks", wildcards.benchmark),
        options=lambda wildcards: options_of(
            CODING[wildcards.benchmark], "table", "access"
        ),
        code=lambda wildcards: code_digest(
            "build_benchmark.py",
            plugins.module("coding.benchmarks", wildcards.benchmark),
        ),
    script:
        "../workflow_scripts/build_benchmark.py"
