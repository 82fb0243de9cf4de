# Supervision: data set A from a tutor, data set B (list-wise groups) from a benchmark's train split.
localrules:
    estimate_supervision,
    copy_groups,


rule make_supervision:
    input:
        queries=supervision.queries,
    output:
        examples="results/supervision/A.jsonl",
        report="results/supervision/A.report.json",
        run="results/supervision/A.run.json",
    log:
        "results/logs/make_supervision.log",
    benchmark:
        "results/benchmarks/make_supervision.tsv"
    localrule: config["coding"]["supervision"]["tutor"] == "llm"  # needs the network
    conda:
        "../envs/suite.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(120),
    params:
        supervision=supervision.options,
        benchmarks=supervision.benchmarks,
        access=supervision.access,
        lexicon=supervision.lexicon,
        cache="results/supervision/answers",
        code=supervision.code,
    script:
        "../workflow_scripts/make_supervision.py"


# What the llm tutor would be asked, and what that would cost.
rule estimate_supervision:
    output:
        prompts="results/supervision/A.prompts.jsonl",
        estimate="results/supervision/A.estimate.json",
    log:
        "results/logs/estimate_supervision.log",
    benchmark:
        "results/benchmarks/estimate_supervision.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        supervision=supervision.options,
        code=code_digest("estimate_supervision.py"),
    script:
        "../workflow_scripts/estimate_supervision.py"


# Data set B of the first selected benchmark beside data set A, if its mentions are open.
rule copy_groups:
    input:
        groups=lambda wildcards: told(supervision.groups),
    output:
        groups="results/supervision/B.jsonl",
        run="results/supervision/B.run.json",
    log:
        "results/logs/copy_groups.log",
    benchmark:
        "results/benchmarks/copy_groups.tsv"
    conda:
        "../envs/suite.yaml"
    params:
        benchmark=supervision.grouped,
        code=code_digest("copy_groups.py"),
    script:
        "../workflow_scripts/copy_groups.py"


rule mine_groups:
    input:
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        table=coding.table,
        embeddings=retrieval.group_embeddings,
        model=[],
    output:
        groups="results/{access}/coding/{benchmark}/groups.jsonl",
        run="results/{access}/coding/{benchmark}/groups.run.json",
    log:
        "results/{access}/logs/mine_groups/{benchmark}.log",
    benchmark:
        "results/benchmarks/mine_groups/{access}/{benchmark}.tsv"
    conda:
        "../envs/suite.yaml"
    threads: 4
    resources:
        **machines.on_gpu(retrieval.gpus_of_groups),
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        name=config["coding"]["groups"]["encoder"],
        encoder=retrieval.group_encoder,
        precision=retrieval.precision_of_groups,
        negatives=config["coding"]["groups"]["negatives"],
        depth=config["coding"]["groups"]["depth"],
        sources=None,
        unique=config["coding"]["groups"]["unique"],
        code=code_digest("mine_groups.py"),
    script:
        "../workflow_scripts/mine_groups.py"


# The same with a trained system's neighbours: what a re-ranker after it has to tell apart.
use rule mine_groups as mine_own_groups with:
    input:
        queries="results/{access}/coding/{benchmark}/queries.tsv",
        table=coding.table,
        embeddings=retrieval.own_group_embeddings,
        model="results/{access}/coding/{benchmark}/{system}/seed={seed}/model",
    output:
        groups="results/{access}/coding/{benchmark}/{system}/seed={seed}/groups.jsonl",
        run="results/{access}/coding/{benchmark}/{system}/seed={seed}/groups.run.json",
    log:
        "results/{access}/logs/mine_own_groups/{benchmark}/{system}/seed={seed}.log",
    benchmark:
        "results/benchmarks/mine_own_groups/{access}/{benchmark}/{system}/seed={seed}.tsv"
    resources:
        **machines.on_gpu(retrieval.gpus_of_system),
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        name=lambda wildcards: coding.encoder_of(wildcards.system),
        encoder=retrieval.encoder_of_system,
        precision=retrieval.precision_of_system,
        negatives=config["coding"]["groups"]["negatives"],
        depth=config["coding"]["groups"]["depth"],
        sources=lambda wildcards: coding.sources(wildcards.system),
        unique=config["coding"]["groups"]["unique"],
        code=code_digest("mine_groups.py"),
