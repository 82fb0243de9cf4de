# Code tables (the pools) and benchmarks (mentions with their gold codes).


rule build_code_table:
    input:
        data=coding.table_data,
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
        kind=coding.table_kind,
        sources=coding.table_keys,
        options=lambda wildcards: options_of(
            config["coding"]["tables"][wildcards.table], "kind"
        ),
        code=coding.table_code,
    script:
        "../workflow_scripts/build_code_table.py"


rule build_benchmark:
    input:
        data=coding.benchmark_data,
        table=coding.table,
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
        sources=coding.benchmark_keys,
        options=lambda wildcards: options_of(
            config["coding"].get(wildcards.benchmark, {}), "table", "access"
        ),
        code=coding.benchmark_code,
    script:
        "../workflow_scripts/build_benchmark.py"
