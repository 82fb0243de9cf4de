# How far probabilities can be trusted: calibration of each row, and its scores in subgroups.
BLOCK = "results/metrics/risk/{cohort}/{model}"


localrules:
    calibration_table,
    calibration_figure,
    subgroups_table,


rule evaluate_calibration:
    input:
        cohort=risk.cohort_file,
        predictions=studies.of_every_row("predictions.csv"),
        runs=studies.of_every_row("run.json"),
    output:
        metrics=f"{BLOCK}/calibration.json",
        run=f"{BLOCK}/calibration.run.json",
    log:
        "results/logs/evaluate_calibration/{cohort}/{model}.log",
    benchmark:
        "results/benchmarks/evaluate_calibration/{cohort}/{model}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        task=risk.task,
        rows=studies.scored_rows,
        bins=config["risk"]["calibration"]["bins"],
        draws=canonical(config["bootstrap"]),
        code=code_digest("evaluate_calibration.py"),
    script:
        "../workflow_scripts/evaluate_calibration.py"


rule evaluate_subgroups:
    input:
        cohort=risk.cohort_file,
        predictions=studies.of_every_row("predictions.csv"),
        runs=studies.of_every_row("run.json"),
        prepared=studies.units_of,
    output:
        metrics=f"{BLOCK}/subgroups.json",
        run=f"{BLOCK}/subgroups.run.json",
    log:
        "results/logs/evaluate_subgroups/{cohort}/{model}.log",
    benchmark:
        "results/benchmarks/evaluate_subgroups/{cohort}/{model}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        task=risk.task,
        rows=studies.scored_rows,
        options=studies.subgroup_options,
        draws=canonical(config["bootstrap"]),
        code=risk.cohort_code("evaluate_subgroups.py"),
    script:
        "../workflow_scripts/evaluate_subgroups.py"


rule calibration_table:
    input:
        metrics=studies.of_blocks("calibration"),
        published=PUBLISHED,
    output:
        tex=report(
            "results/tables/calibration.tex",
            caption="captions/table_calibration.rst",
            category="Tables",
            subcategory="Risk",
            labels={"table": "calibration", "format": "LaTeX"},
        ),
        md="results/tables/calibration.md",
        csv=report(
            "results/tables/calibration.csv",
            caption="captions/table_calibration.rst",
            category="Tables",
            subcategory="Risk",
            labels={"table": "calibration", "format": "CSV"},
        ),
        run="results/tables/calibration.run.json",
    log:
        "results/logs/calibration_table.log",
    benchmark:
        "results/benchmarks/calibration_table.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        layout="calibration",
        absent="[]",
        code=code_digest("make_table.py"),
    script:
        "../workflow_scripts/make_table.py"


rule calibration_figure:
    input:
        metrics=studies.of_blocks("calibration"),
    output:
        pdf="results/figures/calibration_{model}.pdf",
        png=report(
            "results/figures/calibration_{model}.png",
            caption="captions/calibration.rst",
            category="Figures",
            subcategory="Risk",
            labels={"figure": "calibration", "of": "{model}"},
        ),
        run="results/figures/calibration_{model}.run.json",
    log:
        "results/logs/calibration_figure/{model}.log",
    benchmark:
        "results/benchmarks/calibration_figure/{model}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        code=code_digest("make_calibration.py"),
    script:
        "../workflow_scripts/make_calibration.py"


rule subgroups_table:
    input:
        metrics=studies.of_blocks("subgroups"),
        published=PUBLISHED,
    output:
        tex=report(
            "results/tables/subgroups.tex",
            caption="captions/table_subgroups.rst",
            category="Tables",
            subcategory="Risk",
            labels={"table": "subgroups", "format": "LaTeX"},
        ),
        md="results/tables/subgroups.md",
        csv=report(
            "results/tables/subgroups.csv",
            caption="captions/table_subgroups.rst",
            category="Tables",
            subcategory="Risk",
            labels={"table": "subgroups", "format": "CSV"},
        ),
        run="results/tables/subgroups.run.json",
    log:
        "results/logs/subgroups_table.log",
    benchmark:
        "results/benchmarks/subgroups_table.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        layout="subgroups",
        absent="[]",
        code=code_digest("make_table.py"),
    script:
        "../workflow_scripts/make_table.py"
