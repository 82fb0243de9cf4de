# What is told beside the main tables: data, search, running time, thinned samples, one figure a question.
THINNED = "results/{access}/risk/{cohort}/{model}/imbalance/{level}/{row}"


rule measure_running_time:
    input:
        cohort=risk.cohort_file,
    output:
        run="results/{access}/risk/{cohort}/{model}/running_time.run.json",
    log:
        "results/{access}/logs/measure_running_time/{cohort}/{model}.log",
    benchmark:
        "results/benchmarks/measure_running_time/{access}/{cohort}/{model}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 1
    resources:
        gpu=GPUS,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=60,
    params:
        timed=studies.timed,
        code=studies.timed_code,
    script:
        "../workflow_scripts/measure_running_time.py"


rule predict_imbalance:
    input:
        cohort=risk.cohort_file,
        histories=studies.thinned("history.json"),
        weights=studies.thinned("weights.safetensors"),
    output:
        predictions=f"{THINNED}/predictions.npz",
        run=f"{THINNED}/run.json",
    log:
        "results/{access}/logs/predict_imbalance/{cohort}/{model}/{level}/{row}.log",
    benchmark:
        "results/benchmarks/predict_imbalance/{access}/{cohort}/{model}/{level}/{row}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=60,
    params:
        applied=studies.applied,
        code=risk.row_code("predict_imbalance.py"),
    script:
        "../workflow_scripts/predict_imbalance.py"


rule evaluate_imbalance:
    input:
        cohort=risk.cohort_file,
        predictions=studies.predicted("predictions.npz"),
        made=studies.predicted("run.json"),
        runs=studies.thinned("run.json"),
    output:
        metrics="results/metrics/risk/{cohort}/{model}/imbalance/{level}/{row}.json",
        run="results/metrics/risk/{cohort}/{model}/imbalance/{level}/{row}.run.json",
    log:
        "results/logs/evaluate_imbalance/{cohort}/{model}/{level}/{row}.log",
    benchmark:
        "results/benchmarks/evaluate_imbalance/{cohort}/{model}/{level}/{row}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=60,
    params:
        draws=canonical(config["bootstrap"]),
        code=code_digest("evaluate_imbalance.py"),
    script:
        "../workflow_scripts/evaluate_imbalance.py"


rule imbalance:
    input:
        metrics=studies.imbalance_metrics,
        paired=paired.of_levels,
        published=PUBLISHED,
    output:
        tex=report("results/tables/imbalance.tex", category="Tables"),
        md="results/tables/imbalance.md",
        csv=report("results/tables/imbalance.csv", category="Tables"),
        pdf="results/figures/imbalance.pdf",
        png=report("results/figures/imbalance.png", category="Figures"),
        run="results/tables/imbalance.run.json",
    log:
        "results/logs/imbalance.log",
    conda:
        "../envs/suite.yaml"
    params:
        levels=canonical(studies.levels),
        code=code_digest("make_imbalance.py"),
    script:
        "../workflow_scripts/make_imbalance.py"


rule phenotypes:
    input:
        metrics=studies.phenotype_metrics,
        published=PUBLISHED,
    output:
        tex=report("results/tables/phenotypes.tex", category="Tables"),
        md="results/tables/phenotypes.md",
        csv=report("results/tables/phenotypes.csv", category="Tables"),
        run="results/tables/phenotypes.run.json",
    log:
        "results/logs/phenotypes.log",
    conda:
        "../envs/suite.yaml"
    params:
        layout="phenotypes",
        absent="[]",
        code=code_digest("make_table.py"),
    script:
        "../workflow_scripts/make_table.py"


rule study_table:
    input:
        records=studies.table_inputs,
        published=PUBLISHED_STUDIES,
    output:
        tex=report(
            "results/tables/{study}.tex",
            category="Tables",
            labels={"table": "{study}"},
        ),
        md="results/tables/{study}.md",
        csv=report(
            "results/tables/{study}.csv",
            category="Tables",
            labels={"table": "{study}"},
        ),
        run="results/tables/{study}.run.json",
    log:
        "results/logs/study_table/{study}.log",
    wildcard_constraints:
        study=one_of(STUDY_TABLES),
    conda:
        "../envs/suite.yaml"
    params:
        code=code_digest("make_study_table.py"),
    script:
        "../workflow_scripts/make_study_table.py"


rule scr_weights_figure:
    input:
        histories=studies.of_searches("history.json"),
        runs=studies.of_searches("run.json"),
    output:
        pdf="results/figures/scr_weights_{model}.pdf",
        png=report(
            "results/figures/scr_weights_{model}.png",
            category="Figures",
            labels={"figure": "λ, {model}"},
        ),
        run="results/figures/scr_weights_{model}.run.json",
    log:
        "results/logs/scr_weights_figure/{model}.log",
    conda:
        "../envs/suite.yaml"
    params:
        metric=studies.metric,
        code=code_digest("make_scr_weights.py"),
    script:
        "../workflow_scripts/make_scr_weights.py"


rule triplets_figure:
    output:
        pdf="results/figures/triplets.pdf",
        png=report("results/figures/triplets.png", category="Figures"),
        run="results/figures/triplets.run.json",
    log:
        "results/logs/triplets_figure.log",
    conda:
        "../envs/suite.yaml"
    params:
        temperature=0.1,  # SCEHR's τ
        code=code_digest("make_triplets.py"),
    script:
        "../workflow_scripts/make_triplets.py"
