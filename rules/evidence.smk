# The rows of a table against each other, pair by pair, on the same draws of patients or documents.
localrules:
    differences,


rule compare_risk:
    input:
        cohort=risk.cohort_file,
        predictions=paired.risk_files("predictions.csv"),
        runs=paired.risk_files("run.json"),
    output:
        paired="results/metrics/risk/{cohort}/{model}/paired.json",
        run="results/metrics/risk/{cohort}/{model}/paired.run.json",
    log:
        "results/logs/compare_risk/{cohort}/{model}.log",
    benchmark:
        "results/benchmarks/compare_risk/{cohort}/{model}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        systems=paired.risk_systems,
        draws=canonical(config["bootstrap"]),
        code=code_digest("compare_risk.py"),
    script:
        "../workflow_scripts/compare_risk.py"


rule compare_imbalance:
    input:
        cohort=risk.cohort_file,
        predictions=paired.level_files("predictions.npz"),
        runs=paired.level_files("run.json"),
    output:
        paired="results/metrics/risk/{cohort}/{model}/imbalance/{level}/paired.json",
        run="results/metrics/risk/{cohort}/{model}/imbalance/{level}/paired.run.json",
    log:
        "results/logs/compare_imbalance/{cohort}/{model}/{level}.log",
    benchmark:
        "results/benchmarks/compare_imbalance/{cohort}/{model}/{level}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        systems=paired.level_systems,
        draws=canonical(config["bootstrap"]),
        code=code_digest("compare_risk.py"),
    script:
        "../workflow_scripts/compare_risk.py"


rule compare_coding:
    input:
        queries=retrieval.queries,
        training=retrieval.training,
        table=coding.table,
        trec=paired.coding_files("run.trec"),
        runs=paired.coding_files("run.json"),
    output:
        paired="results/metrics/coding/{benchmark}/paired.json",
        run="results/metrics/coding/{benchmark}/paired.run.json",
    log:
        "results/logs/compare_coding/{benchmark}.log",
    benchmark:
        "results/benchmarks/compare_coding/{benchmark}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        systems=paired.coding_systems,
        absent=paired.absent_systems,
        pool=coding.pool,
        depth=config["coding"]["depth"],
        draws=canonical(config["bootstrap"]),
        code=code_digest("compare_coding.py"),
    script:
        "../workflow_scripts/compare_coding.py"


rule differences:
    input:
        paired=paired.of_differences,
        runs=paired.differences_runs,
    output:
        tex=report(
            "results/tables/{track}differences.tex",
            caption="captions/table_differences.rst",
            category="Tables",
            subcategory="Paired comparisons",
            labels={"table": "{track}differences", "format": "LaTeX"},
        ),
        md="results/tables/{track}differences.md",
        csv=report(
            "results/tables/{track}differences.csv",
            caption="captions/table_differences.rst",
            category="Tables",
            subcategory="Paired comparisons",
            labels={"table": "{track}differences", "format": "CSV"},
        ),
        run="results/tables/{track}differences.run.json",
    log:
        "results/logs/{track}differences.log",
    benchmark:
        "results/benchmarks/{track}differences.tsv"
    wildcard_constraints:
        track="(coding_)?",
    conda:
        "../envs/suite.yaml"
    params:
        reference=paired.reference,
        code=code_digest("make_differences.py"),
    script:
        "../workflow_scripts/make_differences.py"
