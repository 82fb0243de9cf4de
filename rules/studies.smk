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
        **machines.on_gpu(),
        mem_mb=growing(8000),
        runtime=growing(60),
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
        mem_mb=growing(8000),
        runtime=growing(60),
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
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        draws=canonical(config["bootstrap"]),
        code=code_digest("evaluate_imbalance.py"),
    script:
        "../workflow_scripts/evaluate_imbalance.py"


rule imbalance:
    input:
        metrics=studies.imbalance_metrics,
        paired=paired.of_levels,
        paired_runs=paired.runs(paired.of_levels),
        published=PUBLISHED,
    output:
        tex=report(
            "results/tables/imbalance.tex",
            caption="captions/table_imbalance.rst",
            category="Tables",
            subcategory="Risk",
            labels={"table": "imbalance", "format": "LaTeX"},
        ),
        md="results/tables/imbalance.md",
        csv=report(
            "results/tables/imbalance.csv",
            caption="captions/table_imbalance.rst",
            category="Tables",
            subcategory="Risk",
            labels={"table": "imbalance", "format": "CSV"},
        ),
        pdf="results/figures/imbalance.pdf",
        png=report(
            "results/figures/imbalance.png",
            caption="captions/imbalance.rst",
            category="Figures",
            subcategory="Risk",
            labels={"figure": "imbalance", "of": "mortality"},
        ),
        run="results/tables/imbalance.run.json",
    log:
        "results/logs/imbalance.log",
    benchmark:
        "results/benchmarks/imbalance.tsv"
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
        tex=report(
            "results/tables/phenotypes.tex",
            caption="captions/table_phenotypes.rst",
            category="Tables",
            subcategory="Risk",
            labels={"table": "phenotypes", "format": "LaTeX"},
        ),
        md="results/tables/phenotypes.md",
        csv=report(
            "results/tables/phenotypes.csv",
            caption="captions/table_phenotypes.rst",
            category="Tables",
            subcategory="Risk",
            labels={"table": "phenotypes", "format": "CSV"},
        ),
        run="results/tables/phenotypes.run.json",
    log:
        "results/logs/phenotypes.log",
    benchmark:
        "results/benchmarks/phenotypes.tsv"
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
        published=[PUBLISHED, PUBLISHED_STUDIES],
    output:
        tex=report(
            "results/tables/{study}.tex",
            caption="captions/table_study.rst",
            category="Tables",
            subcategory="Studies",
            labels={"table": "{study}", "format": "LaTeX"},
        ),
        md="results/tables/{study}.md",
        csv=report(
            "results/tables/{study}.csv",
            caption="captions/table_study.rst",
            category="Tables",
            subcategory="Studies",
            labels={"table": "{study}", "format": "CSV"},
        ),
        run="results/tables/{study}.run.json",
    log:
        "results/logs/study_table/{study}.log",
    benchmark:
        "results/benchmarks/study_table/{study}.tsv"
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
            caption="captions/scr_weights.rst",
            category="Figures",
            subcategory="Studies",
            labels={"figure": "λ", "of": "{model}"},
        ),
        run="results/figures/scr_weights_{model}.run.json",
    log:
        "results/logs/scr_weights_figure/{model}.log",
    benchmark:
        "results/benchmarks/scr_weights_figure/{model}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        metric=studies.metric,
        code=code_digest("make_scr_weights.py"),
    script:
        "../workflow_scripts/make_scr_weights.py"


# Scores every training of a search on the test stays: told in the two studies below, read by nothing that selects.
rule audit_search:
    input:
        cohort=risk.cohort_file,
        histories=risk.searched("history.json"),
        weights=risk.searched("weights.safetensors"),
        runs=risk.searched("run.json"),
    output:
        run=f"{WHOLE}/seed={{seed}}/audit.run.json",
    log:
        f"results/{{access}}/logs/audit_search/{WHOLE_LOGGED}/seed={{seed}}.log",
    benchmark:
        f"results/benchmarks/audit_search/{{access}}/{WHOLE_LOGGED}/seed={{seed}}.tsv"
    wildcard_constraints:
        row=one_of(config["risk"]["losses"]),
    conda:
        "../envs/suite.yaml"
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        applied=risk.applied,
        code=risk.row_code("audit_search.py"),
    script:
        "../workflow_scripts/audit_search.py"


rule selection_leak_figure:
    input:
        audits=studies.audits,
        published=[PUBLISHED, PUBLISHED_STUDIES],
    output:
        pdf="results/figures/selection_leak_{model}.pdf",
        png=report(
            "results/figures/selection_leak_{model}.png",
            caption="captions/selection_leak.rst",
            category="Figures",
            subcategory="Studies",
            labels={"figure": "best of N", "of": "{model}"},
        ),
        run="results/figures/selection_leak_{model}.run.json",
    log:
        "results/logs/selection_leak_figure/{model}.log",
    benchmark:
        "results/benchmarks/selection_leak_figure/{model}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        code=code_digest("make_search_figure.py"),
    script:
        "../workflow_scripts/make_search_figure.py"


rule learning_curves_figure:
    input:
        audits=studies.audits,
    output:
        pdf="results/figures/learning_curves_{model}.pdf",
        png=report(
            "results/figures/learning_curves_{model}.png",
            caption="captions/learning_curves.rst",
            category="Figures",
            subcategory="Studies",
            labels={"figure": "learning curves", "of": "{model}"},
        ),
        run="results/figures/learning_curves_{model}.run.json",
    log:
        "results/logs/learning_curves_figure/{model}.log",
    benchmark:
        "results/benchmarks/learning_curves_figure/{model}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        code=code_digest("make_search_figure.py"),
    script:
        "../workflow_scripts/make_search_figure.py"


rule triplets_figure:
    output:
        pdf="results/figures/triplets.pdf",
        png=report(
            "results/figures/triplets.png",
            caption="captions/triplets.rst",
            category="Figures",
            subcategory="Studies",
            labels={"figure": "triplets", "of": "loss terms"},
        ),
        run="results/figures/triplets.run.json",
    log:
        "results/logs/triplets_figure.log",
    benchmark:
        "results/benchmarks/triplets_figure.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        temperature=0.1,  # SCEHR's τ
        code=code_digest("make_triplets.py"),
    script:
        "../workflow_scripts/make_triplets.py"
