# Raw data to tensors: one file a cohort and task.


rule generate_cohort:
    output:
        folder=directory("results/{access}/risk/{cohort}/generated"),
        run="results/{access}/risk/{cohort}/generated.run.json",
    log:
        "results/{access}/logs/generate_cohort/{cohort}.log",
    benchmark:
        "results/benchmarks/generate_cohort/{access}/{cohort}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        options=risk.options,
        code=risk.cohort_code("generate_cohort.py"),
    script:
        "../workflow_scripts/generate_cohort.py"


rule prepare_cohort:
    input:
        data=ancient(risk.data),
    output:
        folder=directory("results/{access}/risk/{cohort}/prepared"),
        run="results/{access}/risk/{cohort}/prepared.run.json",
    log:
        "results/{access}/logs/prepare_cohort/{cohort}.log",
    benchmark:
        "results/benchmarks/prepare_cohort/{access}/{cohort}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 4
    resources:
        mem_mb=growing(16000),
        runtime=growing(240),
    params:
        sources=risk.data_keys,
        state=risk.data_state,
        options=risk.preparing_options,
        code=risk.cohort_code("prepare_cohort.py"),
    script:
        "../workflow_scripts/prepare_cohort.py"


rule build_cohort:
    input:
        data=ancient(risk.data),
        generated=risk.generated,
    output:
        cohort="results/{access}/risk/{cohort}/{task}.npz",
        run="results/{access}/risk/{cohort}/{task}.run.json",
    log:
        "results/{access}/logs/build_cohort/{cohort}/{task}.log",
    benchmark:
        "results/benchmarks/build_cohort/{access}/{cohort}/{task}.tsv"
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        sources=risk.data_keys,
        state=risk.data_state,
        options=risk.options,
        code=risk.cohort_code("build_cohort.py"),
    script:
        "../workflow_scripts/build_cohort.py"
