# Raw data to tensors: one file a cohort and task.


rule generate_cohort:
    output:
        folder=directory("results/{access}/risk/{cohort}/generated"),
        run="results/{access}/risk/{cohort}/generated.run.json",
    log:
        "results/logs/generate_cohort/{access}/{cohort}.log",
    benchmark:
        "results/benchmarks/generate_cohort/{access}/{cohort}.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        options=risk.options,
        code=risk.cohort_code("generate_cohort.py"),
    script:
        "../workflow_scripts/generate_cohort.py"


rule build_cohort:
    input:
        data=risk.data,
        generated=risk.generated,
    output:
        cohort="results/{access}/risk/{cohort}/{task}.npz",
        run="results/{access}/risk/{cohort}/{task}.run.json",
    log:
        "results/logs/build_cohort/{access}/{cohort}/{task}.log",
    benchmark:
        "results/benchmarks/build_cohort/{access}/{cohort}/{task}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=60,
    params:
        sources=risk.data_keys,
        options=risk.options,
        code=risk.cohort_code("build_cohort.py"),
    script:
        "../workflow_scripts/build_cohort.py"
