# Raw data to tensors: one file a cohort and task.


def generated(wildcards):
    """Return the generated folder a cohort is read from, if it makes its own data."""
    if plugins.declared("cohorts", wildcards.cohort, "GENERATED", False):
        return [f"{store('risk', wildcards.cohort)}/generated"]
    return []


def cohort_code(script):
    """Return a function giving the code digest of a cohort's script with its plug-in."""
    return lambda wildcards: code_digest(
        script, plugins.module("cohorts", wildcards.cohort)
    )


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
        options=lambda wildcards: options_of(RISK[wildcards.cohort]),
        code=cohort_code("generate_cohort.py"),
    script:
        "../workflow_scripts/generate_cohort.py"


rule build_cohort:
    input:
        data=lambda wildcards: data_paths("cohorts", wildcards.cohort),
        generated=generated,
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
        sources=lambda wildcards: data_keys("cohorts", wildcards.cohort),
        options=lambda wildcards: options_of(RISK[wildcards.cohort], "access"),
        code=cohort_code("build_cohort.py"),
    script:
        "../workflow_scripts/build_cohort.py"
