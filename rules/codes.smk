# Code tables (the pools) and benchmarks (mentions with their gold codes).


rule build_code_table:
    input:
        data=ancient(coding.table_data),
        parts=coding.table_parts,
    output:
        table="results/open/tables/{table}.tsv",
        run="results/open/tables/{table}.run.json",
    log:
        "results/logs/build_code_table/{table}.log",
    benchmark:
        "results/benchmarks/build_code_table/{table}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        kind=coding.table_kind,
        sources=coding.table_keys,
        state=coding.table_state,
        options=coding.table_options,
        code=coding.table_code,
    script:
        "../workflow_scripts/build_code_table.py"


rule build_benchmark:
    input:
        data=ancient(coding.benchmark_data),
        table=coding.table,
        training=coding.disjoint_from,
    output:
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        run="results/{access}/coding/{benchmark}/queries.run.json",
    log:
        "results/{access}/logs/build_benchmark/{benchmark}.log",
    benchmark:
        "results/benchmarks/build_benchmark/{access}/{benchmark}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        sources=coding.benchmark_keys,
        state=coding.benchmark_state,
        options=coding.benchmark_options,
        edition=coding.edition,
        tested=coding.tested,
        code=coding.benchmark_code,
    script:
        "../workflow_scripts/build_benchmark.py"
